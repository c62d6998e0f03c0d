"""Whether a decoded text is unmistakably Japanese, Chinese, Korean or Russian (DESIGN W3).

Bytes of one encoding, decoded by another, also give characters; but not kana between ideographs, not mostly the most
frequent ideographs or syllables, not words in orderly case. Each judge wants enough of that to leave no doubt. Pure.
"""

from __future__ import annotations

import re

_MIN_KANA = 8
_MIN_KANA_SHARE = 0.25
_MIN_IDEOGRAPHS = 16
_MIN_COMMON_SHARE = 0.5
_MIN_HANGUL = 16
_MIN_COMMON_HANGUL_SHARE = 0.3
_MIN_CYRILLIC = 24
_MIN_COMMON_CYRILLIC_SHARE = 0.5
_MAX_RARE_CYRILLIC_SHARE = 0.1

_KANA = re.compile("[\u3041-\u3096\u30a1-\u30fa\u30fc]")
_IDEOGRAPH = re.compile("[\u4e00-\u9fff]")
_HANGUL = re.compile("[\uac00-\ud7a3]")
_NOT_EAST_ASIAN = re.compile(
    "[^\x00-\x7f\xa1\xa7\xa8\xb0\xb1\xb4\xb6\xb7\xd7\xf7\u02c7\u02c9\u2010-\u205e\u2190-\u22ff\u2500-\u27bf\u3000-\u303f"
    "\u3041-\u3096\u309b-\u309e\u30a1-\u30fe\u4e00-\u9fff\uac00-\ud7a3\uff01-\uff5e\uffe0-\uffe6]"
)
_CYRILLIC_WORD = re.compile("[\u0400-\u04ff]+")
_ORDERLY_WORD = re.compile("[\u0410-\u042f\u0401]?[\u0430-\u044f\u0451]+|[\u0410-\u042f\u0401]+")
_NOT_CYRILLIC = re.compile(
    "[^\x00-\x7f\u0400-\u04ff\xa0\xa7\xa9\xab\xb0\xbb\u2013\u2014\u2018-\u201e\u2022\u2026\u2116]"
)
_MIXED_WORD = re.compile("[A-Za-z][\u0400-\u04ff]|[\u0400-\u04ff][A-Za-z]")
_UNFRAMED = re.compile("\u044f|[\u0410-\u042f]")

_SIMPLIFIED = frozenset(
    "的一是在不了有和人这中大为上个国我以要他时来用们生到作地于出就分对成会可主发年动同工也能下过子说产种面而方后多定行学"
    "法所民得经十三之进着等部度家电力里如水化高自二理起小物现实加量都两体制机当使点从业本去把性好应开它合还因由其些然前外"
    "天政四日那社义事平形相全表间样与关各重新线内数正心反你明看原又么利比或但质气第向道命此变条只没结解问意建月公无系军很"
    "情者最立代想已通并提直题程展五果料象员位入常文总次品式活设及管特件长求老头基资边流路级少图山统接知较将组见计别她手角"
    "期根论运指几九区强放决西被干做必先回则任取据处给色光门即保治北造百规领七海口东导器压志世金增思术极交受联什认六共权收"
    "证改清己美再采转更单风切打白教速花带安场身车例真务具万每目至达走积示议声报完类八离名确才科张信马节话米整空元况今集传"
    "许步群广记需段研界拉律叫且究观越织装影算低持音众书布复容须际商非验连断深难近千周委素技备半办省列习响约支般史感便团往"
    "历何除消构称太准精值号率族维划选标写存候亲快效院查型眼按格易置派层片始却专状识适属包住调满局照参细引听该价函返读配错误"
    "异常抛闭窗户请输测试删添创获列表默认修兼检输息键码包版注释循环串符缓"
)
_TRADITIONAL = frozenset(
    "的一是在不了有和人這中大為上個國我以要他時來用們生到作地於出就分對成會可主發年動同工也能下過子說產種面而方後多定行學"
    "法所民得經十三之進著等部度家電力裡如水化高自二理起小物現實加量都兩體制機當使點從業本去把性好應開它合還因由其些然前外"
    "天政四日那社義事平形相全表間樣與關各重新線內數正心反你明看原又麼利比或但質氣第向道命此變條只沒結解問意建月公無系軍很"
    "情者最立代想已通並提直題程展五果料象員位入常文總次品式活設及管特件長求老頭基資邊流路級少圖山統接知較將組見計別她手角"
    "期根論運指幾九區強放決西被幹做必先回則任取據處給色光門即保治北造百規領七海口東導器壓志世金增思術極交受聯什認六共權收"
    "證改清己美再採轉更單風切打白教速花帶安場身車例真務具萬每目至達走積示議聲報完類八離名確才科張信馬節話米整空元況今集傳"
    "許步群廣記需段研界拉律叫且究觀越織裝影算低持音眾書布復容須際商非驗連斷深難近千周委素技備半辦省列習響約支般史感便團往"
    "歷何除消構稱太準精值號率族維劃選標寫存候親快效院查型眼按格易置派層片始卻專狀識適屬包住調滿局照參細引聽該價函返讀配錯誤"
    "異常拋閉窗戶請輸測試刪添創獲列表默認修兼檢輸息鍵碼包版註釋迴圈串符緩檔案設定例外啟線視呼叫單使者資訊"
)
_SYLLABLES = frozenset(
    "이다는을를에의가하고은지로도기서한사인어자그리나대시일있해들것수정아부전라주과만상위제되성보장연으적습니까면러여스요음와안"
    "원동구용공조문국오생관신마행데방실세소학게모치경유선무던등때없또값읽결반환류설파검오열받차례처꾸"
)
_COMMON_CYRILLIC = frozenset("оеаинтсрвл")
_RARE_CYRILLIC = frozenset("ёфъщэцюшжх")


def is_japanese(text: str) -> bool:
    """Whether kana stand between ideographs, and nothing that Japanese texts do not hold."""
    kana = len(_KANA.findall(text))
    foreign = _NOT_EAST_ASIAN.search(text) or _HANGUL.search(text)
    return not foreign and kana >= max(_MIN_KANA, _MIN_KANA_SHARE * _not_ascii(text))


def is_simplified_chinese(text: str) -> bool:
    """Whether most ideographs are the most frequent ones of simplified Chinese."""
    return _is_chinese(text, _SIMPLIFIED)


def is_traditional_chinese(text: str) -> bool:
    """Whether most ideographs are the most frequent ones of traditional Chinese."""
    return _is_chinese(text, _TRADITIONAL)


def is_korean(text: str) -> bool:
    """Whether it is Hangul, with the most frequent syllables among it."""
    syllables = _HANGUL.findall(text)
    others = len(_IDEOGRAPH.findall(text)) + len(_KANA.findall(text))
    common = sum(syllable in _SYLLABLES for syllable in syllables)
    return (
        len(syllables) >= _MIN_HANGUL
        and not _NOT_EAST_ASIAN.search(text)
        and not others
        and common >= _MIN_COMMON_HANGUL_SHARE * len(syllables)
    )


def is_russian(text: str) -> bool:
    """Whether its words are in orderly case and of the frequent letters, with a letter that places the alphabet."""
    words = _CYRILLIC_WORD.findall(text)
    letters = "".join(words).lower()
    if len(letters) < _MIN_CYRILLIC or _NOT_CYRILLIC.search(text) or _MIXED_WORD.search(text):
        return False
    if not all(map(_ORDERLY_WORD.fullmatch, words)) or not _UNFRAMED.search("".join(words)):
        return False
    common = sum(letter in _COMMON_CYRILLIC for letter in letters)
    rare = sum(letter in _RARE_CYRILLIC for letter in letters)
    is_frequent = common >= _MIN_COMMON_CYRILLIC_SHARE * len(letters) and rare <= _MAX_RARE_CYRILLIC_SHARE * len(
        letters
    )
    return is_frequent and sum(map(str.islower, "".join(words))) > len(letters) / 2


def _is_chinese(text: str, common: frozenset[str]) -> bool:
    ideographs = _IDEOGRAPH.findall(text)
    if len(ideographs) < _MIN_IDEOGRAPHS or _NOT_EAST_ASIAN.search(text) or _KANA.search(text) or _HANGUL.search(text):
        return False
    return sum(each in common for each in ideographs) >= _MIN_COMMON_SHARE * len(ideographs)


def _not_ascii(text: str) -> int:
    return sum(char > "\x7f" for char in text)
