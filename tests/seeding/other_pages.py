"""Pages of the five kinds about made-up people, written differently from the seed pages on purpose."""

from __future__ import annotations

HOME = """---
title: "Ada Lovelace"
layout: homepage
---

## About

Ada Lovelace is an Associate Professor in the Department of Computer Science at the University of Toronto, where she
directs the Analytical Engines Laboratory. She works on query optimization, learned indexes, and serverless databases.

## Openings

We have two fully funded PhD positions starting in Fall 2027. Please email me your CV.

## Team

**PhD Students**

* [Grace Hopper](https://hopper.example.org) (2022 – present), co-advised with Prof. Alan Turing
* 李明 (Fall 2023, B.Sc. from Fudan University)

**Postdocs**

* Dr. Barbara Liskov

### Alumni

* Edsger Dijkstra, PhD 2021, now at TU Eindhoven

## Publications

### 2024

1. **QueryFlow: Fast Plans for Slow Disks**
   Grace Hopper, **Ada Lovelace**
   *VLDB 2024* [[pdf](https://x.example/p.pdf)] [[code](https://github.com/ael/queryflow)]
2. 李明 and **Ada Lovelace**. ‘Learned Indexes for Everyone and Everything’. In SIGMOD 2024. Best Paper Award.

### 2023

3. E. Dijkstra, **A. Lovelace**, et al. Goto-free query plans considered useful. *Journal of Data Management*, 12(3).
4. [Serverless Joins at Scale](https://x.example/s), Grace Hopper, Ada Lovelace, ICDE

## Teaching

- CSC443: Database Systems (Winter 2023, Winter 2024)

## Service

- PC member: SIGMOD 2023, VLDB 2024

## Awards

- Sloan Fellowship, 2022
"""

STUDENT_HOME = """---
layout: page
---
# Bo Li

I am a third-year Ph.D. student at the Chinese University of Hong Kong, advised by Prof. Hong Xu. I am interested in
datacenter networking and machine learning systems.

## News
- Sep 2024: Our paper [NetCachePro: In-Network Caching for LLM Serving](https://a.example/n) was accepted to NSDI 2025!
- Jan 2023: I joined CUHK.

## Publications
- "NetCachePro: In-Network Caching for LLM Serving", **Bo Li**, Hong Xu. NSDI 2025.
- **Bo Li**, Wei Chen, Hong Xu. “Congestion Control for Fun: A Survey” (ACM Computing Surveys, 2024)
"""

TEMPLATE_HOME = """---
permalink: /
title: ""
author_profile: true
redirect_from:
  - /about/
---

{% assign url = "x" %}

<span class='anchor' id='about-me'></span>

My name is Jane Roe, and I am an assistant professor at Nanjing University. I lead the Vision Lab.

# 📝 Publications

<div class='paper-box'><div class='paper-box-image'><div><div class="badge">CVPR 2023</div>
<img src='images/a.png'></div></div>
<div class='paper-box-text' markdown="1">

[SeeMore: Looking Twice at Images](https://x.example/seemore)

**Jane Roe**, Wei Chen

[**Project**](https://github.com/jroe/seemore)
- A second look helps.
</div>
</div>

<div class='paper-box'><div class='paper-box-image'><div><div class="badge">CVPR 2016</div>
<img src='images/500x300.png'></div></div>
<div class='paper-box-text' markdown="1">

[Deep Residual Learning for Image Recognition](https://x.example/He_Deep_Residual_Learning_CVPR_2016_paper.pdf)

**Kaiming He**, Xiangyu Zhang

</div>
</div>

- [A Plain Entry of the List](https://x.example/plain), Wei Chen, **Jane Roe**, **ECCV 2022**

# 🎖 Honors and Awards
- *2021.10* Lorem ipsum dolor sit amet, consectetur adipiscing elit.
- *2022.05* Best Teacher Award.
"""

DSPACE = """Lovelace, Ada

Last Name

Lovelace

First Name

Ada

Search Results

Now showing 1 - 3 of 3
  • Hopper, Grace; Lovelace, Ada (2024)
    Proceedings of the VLDB Endowment
    Slow disks make plans slow. We present QueryFlow, a query optimizer for slow disks. QueryFlow makes plans fast.
  • Lovelace, Ada (2021)
    ICDE '21: 2021 IEEE 37th International Conference on Data Engineering
    We study joins in databases.
  • Smith, John; Doe, Jane; et al. (2020)
    The Lancet
    Background: surgical patients with stroke were followed for ten years in a randomized trial of aspirin.
Now showing 1 - 3 of 3
"""

PAPERS = """Jane Q. Doe

CV
h-index12
2papers
340citations
Novelty41%
AI Score20

2 Papers

cs.CVJan 3, 2024
Seeing Things: A Survey

Jane Q. Doe, John Smith

A survey of seeing things. We review 100 papers.

ROMar 7Code
RoboGrip: Grasping in the Dark

Wei Chen, Li Na, Jane Q. Doe et al.

We present RoboGrip, a gripper for dark rooms. Code at https://gitlab.com/jqd/robogrip.
"""

SCRAPED = """About
I am a Ph.D. candidate in the Department of Computer Science at ETH Zurich, supervised by Prof. Torsten Hoefler.
Research Interests
My research interests include high-performance computing, sparse tensors, and compilers.
Publications
Fast Sparse Tensors on Slow Machines
Maria Rossi, Torsten Hoefler
[SC 2024 | First Author] International Conference for High Performance Computing 2024
We propose SparTA, a compiler for sparse tensors.
Second Paper About Compilers
Hans Muster*, Maria Rossi* (* equal contribution)
[PLDI 2023 | Co-First Author] Programming Language Design and Implementation 2023
Compilers are slow. We make them fast.
"""
