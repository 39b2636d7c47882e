"""Word lists about names: things that are called like people, what people do, names that are spelt in several ways."""

from __future__ import annotations

# Beside the common words of English and of computing, which are in common_words.txt.
_TECHNOLOGIES = (
    "ada agda alpa amber ansible april august basil bazel beam blender caffe celery chai clara crystal dart das "
    "dask dean delphi django dolly elif elixir elm ember erlang esper eve falcon faust fay flask flax flink forth "
    "gemma gin go grace grok hadoop haskell helm hermes horovod hugo idris iris isaac ivy jade jasmine java jax "
    "jest julia june juno kafka keras kit knative kotlin lambda lean lin linux lisp llama lotus lua lucene luigi "
    "lustre march may maven max mercury min mojo mongo motif neo4j nest newton nim nix node nova numba octave "
    "opal opus otter pandas pascal pearl perl phi phoenix pierre pig polly prime puppet quick racket rails ray "
    "rhino robin rocket ruby rust sage salt sas scala scheme scipy sierra simula sketch solid sonnet spark spring "
    "storm sun swift tornado travis triton tune unity vega vera verdi victoria viola volta vue warp whisper wing "
    "wolfram xavier yang yarn zig zoe"
)
TECHNOLOGIES = frozenset(_TECHNOLOGIES.split())

_EPONYMS = (
    "abel adams allen amdahl ampere armstrong babbage bahdanau banach bayes becker bell berlekamp bernoulli "
    "bessel bloom bohr boltzmann boole borel borda born brent brown broyden carmack cauchy cayley chang chebyshev "
    "chen cholesky chomsky church codd cohen cook cooper cox craig cramer curry cushing davies davis dean dekker "
    "delaunay dennard dijkstra dirac dirichlet doppler duffing earley elman euclid euler fano fermat fermi "
    "fibonacci fisher floyd ford fourier fowler frank fredkin frobenius galerkin galois gauss gauvain gibbs "
    "gilbert gray green gupta gustafson hall halton hamming hansen harris hartley hermite hess hessenberg higgs "
    "hilbert hill hoare hoffman hopcroft hopfield hopper horn hough householder huber huffman hurst ising jacobi "
    "jensen johnson jones jordan kahan kahn kalman kantorovich karp kelly kelvin keller kendall kerr klein kleene "
    "knuth kolmogorov kraft kruskal kuhn kung lagrange lamb lamport lanczos langevin laplace lasserre lebesgue "
    "lee lehmer lempel levenshtein levy lewis li lie lin lloyd lorenz lovelace lucas lyapunov mach mahalanobis "
    "mandelbrot manning markov martin maxwell mealy mercer merkle michaelis miller minkowski moore morgan morse "
    "muller nash nesterov neumann newman newton noether norris nyquist pareto parzen pascal patterson paul "
    "pearson penrose perlin petri phong planck poincare poisson pratt price prim rabin ramsey rayleigh reed rice "
    "richards richardson riemann robinson rosenbrock ross russell sanger schmidt schmitt schur schwarz scott "
    "shannon shapley sherman shor simon simpson smith sobel solomon spearman stark steiner stirling stokes "
    "strassen student sutherland sylvester szilard taylor thomas thompson tikhonov tucker tukey turing ullman "
    "venn vogel walsh wang ward warshall watson watt weber weibull welch weyl white wiener wigner williams wolfe "
    "woodbury yang yates young zhang zipf ziv"
)
EPONYMS = frozenset(_EPONYMS.split())
"""Names of many people after whom methods and laws are called."""

_PARTICLES = (
    "ab af al ap bat ben bin bint binte binti bt da dal dalla das de degli dei del dela della delle delos den der di "
    "do dos du e el ferch ibn la las le los nic ní o op ten ter uí van vom von y zu zum zur"
)
PARTICLES = frozenset(_PARTICLES.split())
"""Small words within names: of, the, and, son or daughter of."""

_DEEDS = (
    "am attended authored began builds built chairs chaired coached coaches completed contributed contributes "
    "coordinated designed developed did does earned enjoys enjoyed explored gave graduated grew has helped holds "
    "held implemented initiated interned introduced invented investigated is joined leads led likes lives loves "
    "maintains mentored mentors moved organised organized played plays presented presents proposed proved "
    "published received reviewed serves served showed showed speaks spent spoke started studied studies "
    "supervised supervises taught teaches thanks took trained volunteered volunteers wants was will won worked "
    "works writes wrote"
)
DEEDS = frozenset(_DEEDS.split())
"""Verbs that follow the name of a person."""
_SAID_TO = (
    "am ask asked became brother by call called colleague dear friend hello helped hi i'm let me meet mentored "
    "met name named partner regards said says sincerely sister tell thank thanked thanks told was yours"
)
SAID_TO = frozenset(_SAID_TO.split())
"""Words before the name of a person who is spoken of or to."""
THINGS_DO = frozenset({"is", "was", "has", "does", "will", "builds", "helped", "introduced", "plays", "did"})
"""Those of `DEEDS` that follow the names of things as well."""

_FUNCTION_WORDS = (
    "i'm i’m i've i’ve i'd i’d a about after again all also always an and are as at be because been before between "
    "both but by can could during et even ever for from had have he her here him his how however i if in into it its "
    "like may me mostly my myself never no not now often on of once only or our over she should since so some still "
    "than that the their them themself then there they this through to too und under until us use used using very via "
    "we were what when where which while who whose why with without would y yet"
)
FUNCTION_WORDS = frozenset(_FUNCTION_WORDS.split())

_FAMILIES = """林 lin lam lim im rim; 李 li lee yi rhee lei; 王 wang wong ong heng; 陈 chen chan tan chin; 张
    zhang chang cheung teo jang; 黄 huang wong ng hwang ooi; 刘 liu lau low yoo; 吴 wu ng goh oh; 赵 zhao chao
    chiu cho jo; 周 zhou chou chow chew joo; 徐 xu hsu chui seo suh; 孙 sun suen sng son; 朱 zhu chu choo joo;
    马 ma mah; 胡 hu woo oh; 郭 guo kuo kwok kuok gwak; 何 he ho ha; 高 gao kao ko go; 罗 luo lo law na; 郑
    zheng cheng tay jung jeong chung; 梁 liang leung neo yang; 谢 xie hsieh tse chia; 宋 song sung; 唐 tang tong
    dang; 许 xu hsu hui koh heo hur; 邓 deng teng tang; 冯 feng fung; 韩 han hon; 曹 cao tsao tso cho; 曾 zeng
    tseng tsang jeung; 彭 peng pang; 蔡 cai tsai choi chua chae; 潘 pan poon ban; 袁 yuan yuen won; 董 dong tung
    dung; 叶 ye yeh ip yip yap; 杜 du tu do to; 魏 wei ngai wi; 苏 su soo so; 卢 lu lo loh noh; 蒋 jiang chiang
    cheung jang; 沈 shen shum sim; 钟 zhong chung cheong jong; 廖 liao liu lew; 杨 yang yeung yeoh; 谭 tan tam;
    邱 qiu chiu yau khoo; 江 jiang chiang kong kang; 余 yu yee yue; 김 金 kim gim jin kam chin; 이 李 lee yi
    rhee li ri; 박 朴 park pak bak piao; 최 崔 choi choe cui tsui; 정 jung jeong chung cheong; 강 姜 kang gang
    jiang; 조 cho jo; 윤 尹 yoon yun yin; 장 jang chang; 임 lim im; 신 申 shin sin; 권 权 kwon gwon; 유 류 yoo
    yu ryu; 안 安 ahn an"""
FAMILIES = tuple(frozenset(group.split()) for group in _FAMILIES.split(";"))
"""Family names of China and Korea with how they are spelt in Latin letters."""

_SHORT_NAMES = """alexander alex sasha sascha aleksandr; alexandra sasha sandra; andrew andy drew; anthony tony;
    barbara barb; benjamin ben; catherine katherine kathryn kate kathy katie cathy; charles charlie
    chuck; christopher chris; daniel dan danny; david dave; deborah debbie; dmitri dima mitya; edward ed
    eddie ted; elizabeth liz beth lisa betty eliza; francisco paco pancho; frederick fred; gabriel gabe;
    gerald jerry; gregory greg; hannah hanna; ignacio nacho; ivan vanya; jacob jake; james jim jimmy;
    jennifer jen jenny; jessica jess; john jack johnny; jonathan jon; jose pepe; joseph joe; joshua
    josh; kenneth ken; konstantin kostya; lawrence larry; leonard leo; margaret maggie meg peggy; maria
    masha; matthew matt; michael mike misha mick; mikhail misha; nicholas nick nico; nikolai kolya;
    natalia natasha; olga olya; patricia pat trish; patrick pat; pavel pasha; peter pete; philip phil;
    rebecca becky; richard rick dick richie; robert rob bob bobby; ronald ron; samuel samantha sam;
    sergei seryozha; stephen steven steve; susan sue; svetlana sveta; tatiana tanya; theodore ted;
    thomas tom; timothy tim; victoria vicky; vladimir volodya vova; walter walt; william bill will billy
    liam; yekaterina katya; yuri yura; zachary zach"""
SHORT_NAMES = tuple(frozenset(group.split()) for group in _SHORT_NAMES.split(";"))
"""Given names with the short ones that stand for them."""
