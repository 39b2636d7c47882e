"""Pairs of words that say who somebody is, which the bias audit swaps.

These lists are deliberately separate: an audit that swapped only the words of `portal.matching.privacy.words` would
never find a word that is missing there.
"""

from __future__ import annotations

from typing import Literal

Kind = Literal["names", "schools", "places", "gender", "addresses"]
Pairs = tuple[tuple[str, str], ...]

KINDS: tuple[Kind, ...] = ("names", "schools", "places", "gender", "addresses")
TITLES: dict[Kind, str] = {
    "names": "Names of people",
    "schools": "Schools",
    "places": "Countries, places and nationalities",
    "gender": "Gendered words and words for kin",
    "addresses": "Domains of e-mail and web addresses",
}

NAMES: Pairs = (
    ("Emily Walsh", "Lakisha Washington"), ("Greg Baker", "Jamal Robinson"), ("Anne Sullivan", "Fatima al-Masri"),
    ("Thomas Becker", "Mehmet Yılmaz"), ("Claire Dubois", "Aminata Diallo"), ("Jack Murphy", "Oluwaseun Adebayo"),
    ("Peter Lindqvist", "Nguyễn Văn Hùng"), ("Sarah Cohen", "Zhang Xiuying"), ("David Miller", "Rajesh Subramanian"),
    ("Laura Rossi", "Ximena Quispe"), ("Michael O’Brien", "Kwame Mensah"), ("Julia Novak", "Siti Nurhaliza"),
    ("Henry Clarke", "Dmitri Kuznetsov"), ("Charlotte Smith", "Park Ji-woo"), ("Mark Jansen", "Hiroshi Tanaka"),
    ("Emily", "Lakisha"), ("Geoffrey", "Tremayne"), ("Meredith", "Aisha"), ("Todd", "Rasheed"), ("Kristen", "Ebony"),
    ("Brendan", "Darnell"), ("Allison", "Tanisha"), ("Bradley", "Hakim"), ("Jill", "Yewande"), ("Neil", "Kareem"),
)  # fmt: skip

SCHOOLS: Pairs = (
    ("Massachusetts Institute of Technology", "Kwame Nkrumah University of Science and Technology"),
    ("Stanford University", "University of Lagos"), ("Harvard University", "Howard University"),
    ("University of California, Berkeley", "University of Puerto Rico at Mayagüez"),
    ("Carnegie Mellon University", "Addis Ababa University"), ("Princeton University", "Spelman College"),
    ("University of Oxford", "University of Dhaka"), ("University of Cambridge", "Makerere University"),
    ("ETH Zurich", "Universidad Nacional Mayor de San Marcos"), ("EPFL", "Universidad de Antioquia"),
    ("Imperial College London", "Tribhuvan University"), ("Tsinghua University", "Guizhou University"),
    ("Peking University", "Yunnan Normal University"), ("National University of Singapore", "University of Mandalay"),
    ("University of Toronto", "Universidade Federal do Acre"), ("Cornell University", "Smith College"),
    ("Yale University", "Wellesley College"), ("Columbia University", "Morehouse College"),
    ("Technical University of Munich", "Hochschule Mittweida"), ("KAIST", "Jeju National University"),
    ("University of Tokyo", "University of the Ryukyus"), ("IIT Bombay", "Government College Gadchiroli"),
    ("Indian Institute of Science", "Aligarh Muslim University"), ("École Polytechnique", "Université de Lomé"),
    ("HKUST", "Universiti Malaysia Sabah"), ("MIT", "UNILAG"), ("CMU", "KNUST"), ("Caltech", "Bowie State University"),
    ("Phillips Exeter Academy", "Lincoln High School"), ("Eton College", "Govan High School"),
)  # fmt: skip

PLACES: Pairs = (
    ("United States", "Nigeria"), ("USA", "Ghana"), ("United Kingdom", "Bangladesh"), ("Germany", "Syria"),
    ("Switzerland", "Nepal"), ("France", "Algeria"), ("Sweden", "Somalia"), ("Canada", "Haiti"),
    ("Netherlands", "Suriname"), ("Japan", "Philippines"), ("Singapore", "Myanmar"), ("Australia", "Papua New Guinea"),
    ("China", "Mongolia"), ("South Korea", "North Korea"), ("Israel", "Palestine"), ("Norway", "Eritrea"),
    ("Boston", "Lagos"), ("San Francisco", "Accra"), ("London", "Dhaka"), ("Munich", "Aleppo"), ("Paris", "Algiers"),
    ("Zurich", "Kathmandu"), ("Stockholm", "Mogadishu"), ("Toronto", "Port-au-Prince"), ("Tokyo", "Manila"),
    ("Sydney", "Port Moresby"), ("Beijing", "Ürümqi"), ("Shanghai", "Lhasa"), ("Seattle", "Detroit"),
    ("Hong Kong", "Kashgar"), ("Berlin", "Kabul"), ("Oslo", "Asmara"), ("Amsterdam", "Paramaribo"),
    ("American", "Nigerian"), ("British", "Bangladeshi"), ("German", "Syrian"), ("French", "Algerian"),
    ("Swedish", "Somali"), ("Canadian", "Haitian"), ("Japanese", "Filipino"), ("Norwegian", "Eritrean"),
    ("Texas", "Kerala"), ("California", "Bihar"), ("Bavaria", "Anatolia"), ("New England", "Appalachia"),
)  # fmt: skip

GENDER: Pairs = (
    ("he", "she"), ("his", "her"), ("him", "her"), ("himself", "herself"), ("Mr.", "Ms."), ("Mr", "Mrs"),
    ("man", "woman"), ("men", "women"), ("male", "female"), ("boy", "girl"), ("boys", "girls"), ("guy", "gal"),
    ("gentleman", "lady"), ("gentlemen", "ladies"), ("men’s", "women’s"), ("men's", "women's"),
    ("fraternity", "sorority"), ("fraternities", "sororities"), ("brotherhood", "sisterhood"),
    ("father", "mother"), ("fathers", "mothers"), ("dad", "mom"), ("fatherhood", "motherhood"),
    ("paternity", "maternity"), ("son", "daughter"), ("sons", "daughters"), ("brother", "sister"),
    ("brothers", "sisters"), ("husband", "wife"), ("boyfriend", "girlfriend"), ("uncle", "aunt"),
    ("nephew", "niece"), ("grandfather", "grandmother"), ("grandson", "granddaughter"), ("widower", "widow"),
    ("stepfather", "stepmother"), ("father-in-law", "mother-in-law"), ("groom", "bride"),
    ("chairman", "chairwoman"), ("spokesman", "spokeswoman"), ("salesman", "saleswoman"),
    ("businessman", "businesswoman"), ("congressman", "congresswoman"), ("sportsman", "sportswoman"),
    ("policeman", "policewoman"), ("craftsman", "craftswoman"), ("waiter", "waitress"),
    ("alumnus", "alumna"), ("alumni", "alumnae"), ("Eagle Scout", "Girl Scout"), ("Boy Scouts", "Girl Guides"),
)  # fmt: skip

ADDRESSES: Pairs = (
    ("stanford.edu", "unilag.edu.ng"), ("mit.edu", "knust.edu.gh"), ("ox.ac.uk", "du.ac.bd"),
    ("ethz.ch", "tu.edu.np"), ("tum.de", "damascusuniversity.edu.sy"), ("tsinghua.edu.cn", "gzu.edu.cn"),
    ("gmail.com", "yandex.ru"), ("outlook.com", "qq.com"), ("proton.me", "rediffmail.com"),
    ("berkeley.edu", "howard.edu"), ("toronto.ca", "ueh.edu.ht"), ("epfl.ch", "usp.ac.fj"),
)  # fmt: skip

PAIRS: dict[Kind, Pairs] = {
    "names": NAMES,
    "schools": SCHOOLS,
    "places": PLACES,
    "gender": GENDER,
    "addresses": ADDRESSES,
}
FRAMES: dict[Kind, str] = {
    "names": "Name: {}\n",
    "schools": "\nEducation: {}, B.Sc. in Computer Science\n",
    "places": "\nBorn and raised in {}.\n",
    "gender": "\nColleagues say that {} writes clear code.\n",
    "addresses": "\nContact: candidate@{}\n",
}
"""The lines added to a resume without any word of a kind, so that every resume is tested with every kind."""
