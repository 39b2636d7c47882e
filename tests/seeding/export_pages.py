"""Home pages of made-up people, as programs and hands write them."""

from __future__ import annotations

HTML = """<!DOCTYPE html>
<html><head><title>Jane Q. Doe | University of Zurich</title><style>.x{}</style>
<script>var publications = "Hidden Script Paper, 2020";</script></head>
<body><nav><ul><li><a href="/">Home</a></li></ul></nav>
<h1>Jane Q. Doe</h1>
<p>I am an Assistant Professor in the Department of Informatics at the University of Zurich. I lead the Fast Data Lab.
</p>
<p>I am looking for two PhD students starting in Fall 2027.</p>
<p style="display:none">hidden keywords quantum blockchain</p><p hidden>more hidden text</p>
<h2>Research Interests</h2><ul><li>Machine learning systems</li></ul>
<h2>Students</h2><h3>PhD Students</h3>
<ul><li><a href="https://ann.example">Ann Lee</a> (2022-Fall, BS@ETH)</li><li>Bob Müller</li></ul>
<h3>Alumni</h3><ul><li>Carl Moser → Google</li></ul>
<h2>Publications</h2><h3>2024</h3>
<ol><li><div class="row"><div class="abbr"><abbr class="badge">ICML</abbr></div>
<div><div class="title">Sparse Attention at Scale for Long Documents</div>
<div class="author"><em>Jane Q. Doe</em>, Ann Lee, and <a href="https://bob.example">Bob Müller</a></div>
<div class="periodical"><em>In International Conference on Machine Learning</em>, 2024</div>
<div class="links"><a class="btn">Abs</a><a href="https://arxiv.org/abs/2401.00001">arXiv</a></div>
<div class="abstract hidden"><p>Hidden abstract</p></div></div></div></li>
<li>A. Lee and J. Doe. <b>Learned Query Plans in Practice Today</b>. In <i>VLDB</i>, 2023.</li>
<li>something else</li></ol>
<h2>Teaching</h2><ul><li>CS101 Databases (Spring 2024)</li></ul>
</body></html>
"""
TABLES = """<html><body><table><tr><td><p class="name">Max Muster</p><p>I am a research scientist.</p></td></tr>
</table>
<h2>Research</h2><p>I am interested in computer vision.</p>
<table><tr><td><img src="a.png"></td><td><a href="https://p.example/1"><span class="papertitle">Nerfs Everywhere All at
Once</span></a><br><strong>Max Muster</strong>, Jill Hill<br><em>CVPR</em>, 2024<br><a href="/x">project page</a>
</td></tr>
<tr><td></td><td><b>Depth from Nothing at All Times</b><br>Jill Hill, <strong>Max Muster</strong><br><em>ICCV</em>, 2023
</td></tr></table></body></html>"""
PARAGRAPHS = """<h2>Lisa Lang</h2><p><b>Selected Publications</b></p>
<p>[1] L. Lang, K. Kurz, "A study of fast things in the wild," Proc. of ICDE, 2019.<br>
[2] L. Lang, "Another study of slow things," TODS, 2018.</p>
<p>K. Kurz, M. Mann. Round things and where to find them. VLDB 2013.<br>K. Kurz. Flat things and where to put them. VLDB
2012.<br>M. Mann, K. Kurz. Sharp things and whom to give them. KDD 2011.</p>
<p>Kurz, K., &amp; Lang, L. (2017). On the length of short things. Journal of Length, 3(2), 1-5.</p>
<div class="pub"><div>Tiny things of all the world</div><div>K. Kurz, L. Lang</div><div>SIGMOD 2015</div></div>
<div class="pub"><div>Huge things of all the world</div><div>K. Kurz, L. Lang</div><div>SIGMOD 2014</div></div>"""

BOXES = """<html><head><title>Wei Zhang's Homepage</title><link rel="canonical" href="https://wei.example/"></head><body>
<div id="layout-menu"><div class="menu-item"><a href="index.html">Home</a></div></div><h1>Wei Zhang</h1>
<p>Associate Professor<br>Department of Computer Science<br>Fudan University</p>
<p>I am an Associate Professor in the Department of Computer Science at Fudan University. My students and I build
systems that answer questions about streams of data, wherever these may come from.</p>
<h2>Publications</h2><p class="view"><span>Wei Zhang, Robert Ford</span> (2024).
<a href="/p/1">An example of a paper</a>. <em>ICML 2024</em>.</p>
<p><a href="/one.pdf">PDF</a> <a href="#">Cite</a> <a href="https://doi.org/10.1000/abc">DOI</a></p>
<p>G. Rossi, M. Verdi: Abstract interpretation of "lazy" programs. In: Proc. SAS 2003, LNCS 2694, Springer.</p>
<h2>PhD Students</h2>
<div class="person"><div><h3><a href="https://a.example">Alice Wu</a></h3><h4>PhD student</h4></div></div>
<div class="person"><div><h3>Karl Benz</h3><h4>PhD student</h4></div></div>
<div id="footer">Page generated 2024-01-01 by a program.</div></body></html>"""

MARKDOWN = """# Jill Hill

I am a professor at the University of Oslo.

## Selected papers
1. **Jill Hill**, Max Muster. "Depth from Nothing at All Times." ICCV 2023. [pdf](https://j.example/d.pdf)
2. Max Muster, **Jill Hill**. "Nerfs Everywhere All at Once." CVPR 2024 (

## Students
* Ann Lee
"""
