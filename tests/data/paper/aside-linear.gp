# A figure by gnuplot 5.2 or newer. Its numbers are in aside-linear.dat, which says what they are.
# In the folder of both:
#     gnuplot aside-linear.gp                        makes aside-linear.svg and aside-linear.png,
#     gnuplot -e "formats='pdf'" aside-linear.gp     aside-linear.pdf.
if (!exists("formats")) formats = 'svg png'
data = 'aside-linear.dat'
width = 820   # pixels of the svg; the png has twice as many, the pdf an inch for 160
height = 519
set encoding utf8

# Lines differ in colour (after Okabe and Ito, which those who see few colours tell apart)
# and in their dashes.
set linetype 1 lc rgb '#0072B2' dt solid lw 1.8
set linetype 2 lc rgb '#D55E00' dt (12,4) lw 1.8
set linetype 3 lc rgb 'black' dt solid lw 2.4

set border 3 lc rgb '#5f6368'
set xtics nomirror out scale 0.6 textcolor rgb '#202124'; set ytics nomirror out scale 0.6 textcolor rgb '#202124'
set grid lc rgb '#dfe1e5' lt 1 lw 0.7
set xrange [0:2100]
set logscale y
set ytics (1, 2, 5, 10, 20, 50, 100)
set yrange [1:100]
set xlabel 'Size (KB)' noenhanced
set ylabel 'Slowdown (logarithmic)' noenhanced
set rmargin at screen 0.9732
set bmargin at screen 0.1792
set key bmargin center horizontal Left reverse noenhanced maxcols 2

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
	set output 'aside-linear.'.format
	plot data index 0 using ($1-21):2:3:4 with yerrorbars lt 1 dt solid pt 7 ps 1.1 notitle, \
	     data index 1 using ($1-21):2 with linespoints lt 1 pt 7 ps 1.1 title 'a', \
	     data index 2 using ($1+21):2 with linespoints lt 2 pt 5 ps 1.1 title 'b'
	unset output
}
