# A figure by gnuplot 5.2 or newer. Its numbers are in hostile.dat, which says what they are.
# In the folder of both:
#     gnuplot hostile.gp                        makes hostile.svg and hostile.png,
#     gnuplot -e "formats='pdf'" hostile.gp     hostile.pdf.
if (!exists("formats")) formats = 'svg png'
data = 'hostile.dat'
width = 864   # pixels of the svg; the png has twice as many, the pdf an inch for 160
height = 728
set encoding utf8

# Lines differ in colour (after Okabe and Ito, which those who see few colours tell apart)
# and in their dashes.
set linetype 1 lc rgb '#0072B2' dt solid lw 1.8
set linetype 2 lc rgb '#D55E00' dt (12,4) lw 1.8
set linetype 3 lc rgb '#009E73' dt (3,3) lw 1.8
set linetype 4 lc rgb '#CC79A7' dt (12,4,3,4) lw 1.8
set linetype 5 lc rgb '#E69F00' dt (20,5) lw 1.8
set linetype 6 lc rgb '#56B4E9' dt (12,4,3,4,3,4) lw 1.8
set linetype 7 lc rgb '#5f6368' dt (6,3) lw 1.8
set linetype 8 lc rgb '#0072B2' dt (20,4,3,4) lw 1.8
set linetype 9 lc rgb '#D55E00' dt solid lw 1.8
set linetype 10 lc rgb '#009E73' dt (12,4) lw 1.8
set linetype 11 lc rgb '#CC79A7' dt (3,3) lw 1.8
set linetype 12 lc rgb 'black' dt solid lw 2.4

set border 3 lc rgb '#5f6368'
set xtics nomirror out scale 0.6 textcolor rgb '#202124'; set ytics nomirror out scale 0.6 textcolor rgb '#202124'
set grid lc rgb '#dfe1e5' lt 1 lw 0.7
set xrange [0:2.6]
set yrange [0:10.4]
set xlabel "x_1\047 (^{2})" noenhanced
set ylabel 'y`date`' noenhanced
set title "\047\134"."\n".'}' noenhanced
set arrow 1 from graph 0, first 3 to graph 1, first 3 nohead lc rgb '#5f6368' dt (2,4) lw 1.6
set label 1 "\047\134x0a}" at graph 1.01, graph 0.2885 left noenhanced textcolor rgb '#202124'
set rmargin at screen 0.9236
set bmargin at screen 0.3626
set key bmargin center horizontal Left reverse noenhanced maxcols 1

do for [format in formats] {
	if (format eq 'svg') {
		set terminal svg size width,height background 'white' font 'sans-serif,12'
	}
	if (format eq 'png') {
		set terminal pngcairo size 2*width,2*height font 'Sans,11' fontscale 2 linewidth 2 pointscale 2
	}
	if (format eq 'pdf') {
		set terminal pdfcairo size width/160.0,height/160.0 font 'Sans,5.5' linewidth 0.5 pointscale 0.5
	}
	set output 'hostile.'.format
	plot data index 0 using 1:2 with linespoints lt 1 pn 9 pt 7 ps 1.1 title 'a_b^{c}@d', \
	     data index 1 using 1:2 with linespoints lt 2 pn 9 pt 5 ps 1.1 title "it\047s \042quoted\042 \134", \
	     data index 2 using 1:2 with linespoints lt 3 pn 9 pt 9 ps 1.1 title "\047 ; system(\047id\047) ; \047", \
	     data index 3 using 1:2 with linespoints lt 4 pn 9 pt 11 ps 1.1 title "line\134x0aset output \047x\047", \
	     data index 4 using 1:2 with linespoints lt 5 pn 9 pt 13 ps 1.25 title '`date`', \
	     data index 5 using 1:2 with linespoints lt 6 pn 9 pt 15 ps 1.1 title '}', \
	     data index 6 using 1:2 with linespoints lt 7 pn 9 pt 6 ps 1.1 title '{', \
	     data index 7 using 1:2 with linespoints lt 8 pn 9 pt 4 ps 1.1 title '# no comment \', \
	     data index 8 using 1:2 with linespoints lt 9 pn 9 pt 8 ps 1.1 title '%s $1 \xff', \
	     data index 9 using 1:2 with linespoints lt 10 pn 9 pt 10 ps 1.1 notitle, \
	     data index 10 using 1:2 with linespoints lt 11 pn 9 pt 12 ps 1.1 title 'a name of more characters than the key has room for, w...hree dots and its end stays'
	unset output
}
