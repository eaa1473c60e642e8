"""Words by which a tool says that it failed, in English and Chinese, and what kind of failure they tell of."""

from __future__ import annotations

import re

# A long result may speak of errors in passing (a page about them): only plain signs count there, at its ends.
_SHORT = 300
_END = 400

_NO_COMPLAINT = re.compile(
    r"""
    \b(?:no|zero|0|without(?:\ any)?|free\ of)\ (?:errors?|failures?|exceptions?|failed|warnings?)\b
    | \berrors?[\"']?\s*[:=]\s*(?:(?:none|null|no|0|false)\b(?!\ *\w)|\[\]|\"\")
    | \b0\ (?:failed|failing)\b | \bnot?\ (?:failed|an\ error)\b
    | \berror[- ](?:free|handling|codes?|logs?|rates?)\b
    | (?:没有|无|未发现|未出现|未发生|零|0\ ?个)(?:任何)?(?:错误|异常|失败|故障)
    | (?:错误|异常|失败)(?:数|率|次数)?[：:]?\s*(?:无|0)(?!\d)
    """,
    re.IGNORECASE | re.VERBOSE,
)
# Signs that are plain wherever they stand at an end of a result.
_PLAIN = re.compile(
    r"""
    ^\W{0,3}(?:\w{1,40}\ ){0,2}(?:error|exception|failure|fatal)\b\s*(?:[:：(\[-]|\d|$)
    | ^\W{0,3}(?:failed|unable|could\ ?n[o']t|cannot|can't)\  | ^\W{0,3}(?:错误|失败|异常)
    | ^.{0,6}(?:无法|未能|不能) | Traceback\ \(most\ recent\ call\ last\)
    | ^(?:\w{1,60}\.){0,9}[A-Z]\w{0,80}(?:Error|Exception)\b\s*(?::|$)
    | \b(?:exit(?:ed)?|return(?:ed)?|terminated)(?:\ with)?(?:\ non-zero)?\ (?:code|status)
      \s*[:=]?\s*-?[1-9]
    | \bHTTP(?:/[\d.]+)?(?:\ error)?(?:\ status)?(?:\ code)?[: ]+[45]\d\d\b
    | \bstatus(?:\ code)?[: ]+[45]\d\d\b | (?:退出码|返回码|状态码)\s*[:：为]?\s*-?(?:[1-9]|[45]\d\d)
    | :\ command\ not\ found | No\ such\ file\ or\ directory | Segmentation\ fault
    """,
    re.IGNORECASE | re.MULTILINE | re.VERBOSE,
)
# Signs that tell of a failure when they are most of what the tool said.
_EXPLAINED = re.compile(
    r"""
    \b(?:
        not\ found | no\ such | does(?:\ not|n't)\ exist
        | no\ (?:results?|matches|records?|data|entries|items|rows?)\b
          (?!\ (?:were\ |was\ )?(?:lost|changed))
        | nothing\ (?:was\ )?found | failed | failure | timed?\ ?out | time-out | denied | forbidden
        | unauthori[sz]ed | not\ authori[sz]ed | not\ permitted | not\ allowed | unauthenticated | invalid
        | missing\ required | is\ required | rate\ limit | too\ many\ requests | quota\ exceeded
        | unavailable | connection\ (?:refused|reset|error|failed) | unreachable | network\ error
        | unable\ to | unexpected\ error | internal\ (?:server\ )?error | errors?: | an\ error | exception
        | not\ supported | unsupported
    )\b
    | 未找到 | 没有找到 | 找不到 | 查不到 | 未查询到 | 没有查到 | 查询不到 | 不存在 | 无结果 | 没有结果
    | 没有数据 | 暂无 | 失败 | 错误 | 异常 | 超时 | 拒绝(?:访问|请求) | 无权 | 没有权限 | 权限不足
    | 未授权 | 未登录 | 无效 | 不合法 | 不支持 | 缺少 | 不能为空 | 限流 | 频率限制 | 过于频繁 | 不可用
    | 出错 | 报错
    """,
    re.IGNORECASE | re.VERBOSE,
)
# The first that fits is the kind of the failure.
_TYPES = (
    ("rate_limit", r"rate.?limit|too many requests|quota|\b429\b|限流|频率|过于频繁|配额"),
    (
        "authentication",
        (
            r"unauthori[sz]ed|unauthenticated|\b401\b|(?:api.?key|token|credential|password"
            r"|login)s?\b.{0,20}(?:invalid|expired|missing|wrong)"
            r"|(?:invalid|expired|missing|wrong) (?:api.?key|token|credential|password)|未授权|未登录"
            r"|认证失败|鉴权|(?:密钥|令牌|密码).{0,6}(?:无效|错误|过期)"
        ),
    ),
    ("permission", r"permission|forbidden|denied|not permitted|not allowed|\b403\b|无权|权限|拒绝访问"),
    ("timeout", r"time[ds]?[- _]?out|deadline exceeded|\b(?:408|504)\b|超时"),
    (
        "not_found",
        r"not[ _]found|no such|does(?: not|n't) exist|\b404\b|unknown (?:city|location|file|user|id|place|host)"
        r"|未找到|没有找到|找不到|不存在|查不到|查询不到",
    ),
    (
        "empty_result",
        (
            r"\bno (?:results?|matches|records?|data|entries|items|rows?)\b|nothing (?:was )?found|无结果"
            r"|没有结果|没有数据|未查询到|没有查到|暂无"
        ),
    ),
    (
        "invalid_argument",
        (
            r"invalid|malformed|missing|required|must (?:be|have)|bad request|unexpected (?:keyword"
            r"|argument|parameter)|unsupported|not supported"
            r"|\b(?:400|422)\b|validation|TypeError|ValueError|无效|不合法|非法|缺少|缺失|不能为空|参数"
            r"|格式|不支持"
        ),
    ),
    ("network", r"connection|network|unreachable|dns|resolve host|econn\w+|网络|连接"),
    (
        "server_error",
        (
            r"internal (?:server )?error|unavailable|\b50[0-3]\b|bad gateway|服务器|服务.{0,4}(?:不可用"
            r"|异常|错误)|繁忙|内部错误"
        ),
    ),
    ("exit_code", r"exit(?:ed)?(?: with)?(?: non-zero)? (?:code|status)|command not found|退出码|返回码"),
    ("exception", r"exception|traceback|\b[A-Z]\w*Error\b|异常"),
)
_COMPILED = tuple((name, re.compile(pattern, re.IGNORECASE)) for name, pattern in _TYPES)


def find_complaint(text: str) -> str:
    """The part of a text result that tells of a failure; "" when it tells of none."""
    ends = text if len(text) <= 2 * _END else f"{text[:_END]}\n{text[-_END:]}"
    ends = _NO_COMPLAINT.sub(" ", ends)
    if plain := _PLAIN.search(ends):
        return _get_line_at(ends, plain.start(), plain.end())
    short = _NO_COMPLAINT.sub(" ", text.strip()) if len(text.strip()) <= _SHORT else ""
    if explained := _EXPLAINED.search(short):
        return _get_line_at(short, explained.start(), explained.end())
    return ""


def _get_line_at(text: str, start: int, end: int) -> str:
    """The line of the sign; of a traceback the last one, which names the exception."""
    if "Traceback (most recent" in text[start:end]:
        return text.strip().rpartition("\n")[2]
    first = text.rfind("\n", 0, start) + 1
    last = text.find("\n", end)
    return text[first : last if last >= 0 else len(text)].strip()


def detect_error_type(words: str) -> str:
    """What kind of failure the words tell of; "error" when they do not say."""
    return next((name for name, pattern in _COMPILED if pattern.search(words[:2_000])), "error")
