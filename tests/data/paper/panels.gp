# A figure by gnuplot 5.2 or newer. Its numbers are in panels.dat, which says what they are.
# In the folder of both:
#     gnuplot panels.gp                        makes panels.svg and panels.png,
#     gnuplot -e "formats='pdf'" panels.gp     panels.pdf.
if (!exists("formats")) formats = 'svg png'
data = 'panels.dat'
width = 820   # pixels of the svg; the png has twice as many, the pdf an inch for 160
height = 492
set encoding utf8

# Lines differ in colour (after Okabe and Ito, which those who see few colours tell apart)
# and in their dashes.
set linetype 1 lc rgb '#0072B2' dt solid lw 1.8
set linetype 2 lc rgb '#D55E00' dt (12,4) lw 1.8
set linetype 3 lc rgb 'black' dt solid lw 2.4

set border 3 lc rgb '#5f6368'
set xtics nomirror out scale 0.6 textcolor rgb '#202124'; set ytics nomirror out scale 0.6 textcolor rgb '#202124'
set grid lc rgb '#dfe1e5' lt 1 lw 0.7
set xrange [0:2.1]
set logscale y
set format y '10^{%L}'
set mytics 10
set yrange [0.5:1000]

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
	set output 'panels.'.format
	set multiplot
	set key off
	set label 1 'utilization (%)' at screen 0.5512, 0.1362 center noenhanced
	set label 2 'queue (KB, logarithmic)' at screen 0.0195, 0.5732 center rotate by 90 noenhanced
	set label 3 'two of them' at screen 0.5, 0.9675 center noenhanced
	set title 'seed=1' noenhanced offset 0,-0.7
	set margins at screen 0.1024, at screen 0.5085, at screen 0.2175, at screen 0.8882
	plot data index 0 using 1:2 with linespoints lt 1 pt 7 ps 1.1 notitle
	unset label
	set title 'seed=2' noenhanced offset 0,-0.7
	set margins at screen 0.5671, at screen 0.9732, at screen 0.2175, at screen 0.8882
	plot data index 1 using 1:2 with points lt 2 dt solid pt 5 ps 1.1 notitle
	# The key is a plot of its own, without axes.
	unset title; unset border; unset tics; unset grid
	set key center horizontal Left reverse noenhanced maxcols 3
	set margins at screen 0.0000, at screen 1.0000, at screen 0.0081, at screen 0.0549
	plot NaN notitle, \
	     keyentry with lines lt 1 title 'max=1', \
	     keyentry with lines lt 2 title 'max=2', \
	     keyentry with points lt 3 dt solid pt 7 ps 1.1 title 'qps=1'
	unset multiplot
	set border 3 lc rgb '#5f6368'
	set xtics nomirror out scale 0.6 textcolor rgb '#202124'; set ytics nomirror out scale 0.6 textcolor rgb '#202124'
	set grid lc rgb '#dfe1e5' lt 1 lw 0.7
	unset output
}
