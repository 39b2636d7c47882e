"""Words that tell the sections of a resume and the parts of their entries, in the languages resumes are written in."""

from __future__ import annotations

_WORK = (
    "experience experiences employment work internship internships career industry positions appointments "
    "jobs history berufserfahrung berufliche praktika praktische erfahrung werdegang expérience "
    "expériences professionnelle professionnelles stages emplois experiencia experiencias laboral "
    "profesional experiência profissional estágios esperienza esperienze lavorative lavorativa "
    "doświadczenie zawodowe deneyim deneyimi iş stajlar werkervaring arbetslivserfarenhet pengalaman "
    "kerja опыт работы 工作经历 工作经验 工作履历 实习经历 实习经验 职业经历 职歴 경력 경력사항"
)
_EDUCATION = (
    "education studies qualifications schooling ausbildung studium bildung schulbildung formation "
    "éducation études diplômes educación formación académica estudios educação formação acadêmica "
    "istruzione formazione wykształcenie edukacja eğitim öğrenim opleiding utbildning pendidikan "
    "образование 教育背景 教育经历 教育程度 求学经历 学习经历 学历 学歴 학력"
)
_OTHERS = (
    "projects project publications papers skills awards honors honours languages references summary "
    "profile interests teaching certifications certificates courses coursework activities volunteering "
    "leadership objective about extras achievements patents talks presentations hobbies tools "
    "technologies technical links contact service theses kenntnisse fähigkeiten projekte "
    "veröffentlichungen sprachen interessen compétences projets langues publicaciones proyectos "
    "habilidades idiomas competenze progetti pubblicazioni lingue umiejętności projekty publikacje języki "
    "beceriler projeler yayınlar diller competências projetos idiomas навыки проекты публикации 项目经历 专案经历 "
    "技能 专业技能 个人技能 发表论文 论文 奖项 获奖情况 获奖经历 荣誉奖项 研究兴趣 研究方向 研究经历 科研经历 自我评价 "
    "个人总结 校园经历 社团经历 证书 语言能力 个人信息 个人资料 基本信息 求职意向"
)
_BESIDE = (
    "professional research academic relevant other selected key my and & industrial additional previous "
    "current full-time part-time und et y e i ve de background section personal open source independent "
    "side"
)
WORK = frozenset(_WORK.split())
EDUCATION = frozenset(_EDUCATION.split())
OTHERS = frozenset(_OTHERS.split())
BESIDE = frozenset(_BESIDE.split())
"""Words of headings that do not tell which section it is."""

_ROLES = (
    "engineer developer programmer scientist analyst consultant researcher intern internship assistant "
    "associate trainee manager architect administrator specialist fellow officer technician director lead "
    "founder co-founder contractor freelancer freelance self-employed apprentice student visitor "
    "coordinator designer tester sre swe sde cto ceo postdoc ra praktikant praktikantin praktikum "
    "werkstudent werkstudentin entwickler entwicklerin softwareentwickler softwareentwicklerin ingenieur "
    "ingenieurin hilfskraft mitarbeiter mitarbeiterin ingénieur ingénieure développeur développeuse "
    "stagiaire stage alternant alternante chercheur chercheuse ingeniero ingeniera desarrollador "
    "desarrolladora practicante pasante becario becaria analista investigador investigadora engenheiro "
    "engenheira estagiário estagiária desenvolvedor desenvolvedora pesquisador sviluppatore tirocinante "
    "ingegnere stażysta stażystka programista inżynier mühendis mühendisi stajyer geliştirici"
)
_DEGREES = (
    "bachelor bachelors bachelor's bachelor’s master masters master's master’s degree diploma phd ph.d "
    "ph.d. doctorate bsc b.sc b.sc. msc m.sc m.sc. bs b.s b.s. ms m.s m.s. ba b.a b.a. ma m.a m.a. beng "
    "b.eng b.eng. meng m.eng m.eng. btech b.tech b.tech. mtech m.tech m.tech. be b.e b.e. mba mphil "
    "certificate minor major exchange thesis gpa cgpa class abitur matura licence baccalauréat bac "
    "licenciatura bachillerato ingeniería laurea magistrale triennale licencjat magister studia lisans "
    "lisansı graduação mestrado doutorado kandidat"
)
ROLES = frozenset(_ROLES.split())
DEGREES = frozenset(_DEGREES.split())
_TEACHING = "teaching teacher tutor tutoring lecturer grader instructor ta course courses taught"
TEACHING = frozenset(_TEACHING.split())
"""An entry with one of these words names a course."""
_GROUPS = (
    "group team lab laboratory department division unit track program programme project projects course "
    "platform thesis section workshop seminar chapter club society certificate award stack tools"
)
GROUPS = frozenset(_GROUPS.split())
"""A name that ends with one of these is a part of an organisation, called by its field, or no organisation."""
_JOINING = "of and & the for in on de del la le les du des et y e di da do für und der van von"
JOINING = frozenset(_JOINING.split())
_LABELS = (
    "thesis dissertation topic focus minor major specialization specialisation concentration coursework "
    "courses modules advisor adviser supervisor project technologies tools stack skills keywords gpa "
    "grade abschlussarbeit masterarbeit bachelorarbeit diplomarbeit schwerpunkt mémoire spécialité tesis "
    "proyecto tesi praca tez"
)
LABELS = frozenset(_LABELS.split())
"""A line that begins with one of these names no organisation."""
_TECHNICAL = (
    "accelerator accelerators adversarial agents aggregation ai algorithm algorithms analysis android "
    "angular anomaly apache api approximate architecture artificial attention augmented automated "
    "autonomous backend batch batching big blockchain cache caching causal cloud clustering code coding "
    "coherence communication compiler compilers compression computational computer computing concurrency "
    "consensus contrastive control convex cryptography cuda cyber data database databases deep detection "
    "development devops differential diffusion discrete distributed docker edge efficient embedded engine "
    "estimation evaluation federated fine-tuning flink formal frontend full fullstack game generation "
    "generative geometric gpu gpus gradient graph graphics graphs hadoop hardware heterogeneous hive hpc "
    "human image inference information infrastructure intelligence intelligent interaction internet ios "
    "java javascript julia kafka kernel kernels key knowledge language languages large learning library "
    "linear linux local low-rank machine matrix medical memory methods mining ml mobile model modeling "
    "modelling models multi-agent multi-modal multimodal natural network networking networks neural nlp "
    "numerical object observability offloading open operating optimal optimisation optimization "
    "optimizations parallel performance pipeline pipelines planning privacy private probabilistic "
    "processing program programming protein protocol protocols pruning python quantization quantum query "
    "ranking react real-time recognition recommendation recommender reconstruction reinforcement "
    "reliability reliable representation retrieval robot robotic robotics scalable scheduling scientific "
    "search secure security segmentation self-supervised semantic serverless services serving signal "
    "signals simulation smart software source spark sparse spatial speech stack stochastic storage stream "
    "streaming streams structured supervised synthesis synthetic system systems tensor test testing text "
    "theorem theory time tracking training transfer transformer transformers tuning unsupervised value "
    "vector vectorization verification video virtual vision visual visualization web wireless"
)
TECHNICAL = frozenset(_TECHNICAL.split())
"""A name of such words alone is a subject of work, not an organisation."""
