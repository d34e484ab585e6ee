# A figure by gnuplot 5.2 or newer. Its numbers are in styles.dat, which says what they are.
# In the folder of both:
#     gnuplot styles.gp                        makes styles.svg and styles.png,
#     gnuplot -e "formats='pdf'" styles.gp     styles.pdf.
if (!exists("formats")) formats = 'svg png'
data = 'styles.dat'
width = 847   # pixels of the svg; the png has twice as many, the pdf an inch for 160
height = 576
set encoding utf8

# Lines differ in colour (after Okabe and Ito, which those who see few colours tell apart)
# and in their dashes.
set linetype 1 lc rgb '#0072B2' dt solid lw 1.8
set linetype 2 lc rgb '#D55E00' dt (12,4) lw 1.8
set linetype 3 lc rgb '#009E73' dt (3,3) lw 1.8
set linetype 4 lc rgb '#CC79A7' dt (12,4,3,4) lw 1.8
set linetype 5 lc rgb '#E69F00' dt (20,5) lw 1.8
set linetype 6 lc rgb 'black' dt solid lw 2.4

set border 3 lc rgb '#5f6368'
set xtics nomirror out scale 0.6 textcolor rgb '#202124'; set ytics nomirror out scale 0.6 textcolor rgb '#202124'
set grid lc rgb '#dfe1e5' lt 1 lw 0.7
set xrange [0:5.2]
set yrange [0:25]
set xlabel 'Time (ms)' noenhanced
set ylabel 'Length (KB)'."\n".'of s1:r.3' noenhanced
set title 'all styles' noenhanced
set arrow 4 from first 3, graph 0 to first 3, graph 1 nohead lc rgb '#5f6368' dt (2,4) lw 1.6
set label 4 'storm' at graph 0.5929, graph 0.98 right rotate by 90 noenhanced textcolor rgb '#202124'
set arrow 2 from graph 0, first 5 to graph 1, first 5 nohead lc rgb '#5f6368' dt (2,4) lw 1.6
set label 2 'Kmin' at graph 1.01, graph 0.2000 left noenhanced textcolor rgb '#202124'
set arrow 3 from graph 0, first 5.1 to graph 1, first 5.1 nohead lc rgb '#5f6368' dt (2,4) lw 1.6
set label 3 'XOFF' at graph 1.01, graph 0.2500 left noenhanced textcolor rgb '#202124'
set arrow 1 from graph 0, first 16 to graph 1, first 16 nohead lc rgb '#5f6368' dt (2,4) lw 1.6
set label 1 'Kmax' at graph 1.01, graph 0.6400 left noenhanced textcolor rgb '#202124'
set rmargin at screen 0.9421
set bmargin at screen 0.2274
set key bmargin center horizontal Left reverse noenhanced maxcols 3

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
	set output 'styles.'.format
	plot data index 0 using 1:2:3 with filledcurves lt 1 fs transparent solid 0.22 noborder title 'least to most', \
	     data index 1 using 1:2 with lines lt 1 title 'mean', \
	     data index 2 using 1:2 with steps lt 2 title 'steps', \
	     data index 3 using 1:2:3:4 with yerrorbars lt 3 dt solid pt 7 ps 1.1 title 'bars', \
	     data index 4 using 1:2 with points lt 4 dt solid pt 5 ps 1.1 notitle, \
	     data index 5 using 1:2:5:6:3:4 with xyerrorbars lt 4 dt solid lw 1 pt -1 notitle, \
	     keyentry title ' ', \
	     keyentry title ' ', \
	     data index 6 using 1:2 with linespoints lt 5 pt 9 ps 1.1 title 'both', \
	     data index 7 using 1:2 with points lt 6 dt solid pt 6 ps 2.1 title 'best', \
	     keyentry with lines lt 6 title 'entry only'
	unset output
}
