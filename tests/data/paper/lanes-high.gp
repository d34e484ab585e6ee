# A figure by gnuplot 5.2 or newer. Its numbers are in lanes-high.dat, which says what they are.
# In the folder of both:
#     gnuplot lanes-high.gp                        makes lanes-high.svg and lanes-high.png,
#     gnuplot -e "formats='pdf'" lanes-high.gp     lanes-high.pdf.
if (!exists("formats")) formats = 'svg png'
data = 'lanes-high.dat'
width = 820   # pixels of the svg; the png has twice as many, the pdf an inch for 160
height = 230
set encoding utf8

# Lines differ in colour (after Okabe and Ito, which those who see few colours tell apart)
# and in their dashes.
set linetype 1 lc rgb '#0072B2' dt solid lw 1.8
set linetype 2 lc rgb 'black' dt solid lw 2.4

set border 3 lc rgb '#5f6368'
set xtics nomirror out scale 0.6 textcolor rgb '#202124'; set ytics nomirror out scale 0.6 textcolor rgb '#202124'
set grid lc rgb '#dfe1e5' lt 1 lw 0.7
set xrange [0:4]
set yrange [1.5:-0.5]
set ytics noenhanced ('s1:h1.3' 0, 'h1:s1.3 whose na...its place' 1)
set xlabel 'Time (ms)' noenhanced
set rmargin at screen 0.9732
set bmargin at screen 0.3217
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
	set output 'lanes-high.'.format
	plot data index 0 using (($2+$3)/2):1:2:3:($1-0.34):($1+0.34) with boxxyerror lt 1 dt solid fs solid 1.0 noborder notitle
	unset output
}
