"""How the rules read whole conversations, in English and Chinese."""

from __future__ import annotations

import pytest

from tests.support.skills.outcomes import outcome

STORIES = {
    "a complaint is a request where nothing was done yet": (
        """U: I keep getting a 502 when I open the dashboard
C: logs {"service": "gateway"}
R: logs upstream connect error
A: The upstream is down. I restarted it.
U: still getting 502
C: restart {"service": "dashboard"}
R: restart {"ok": true}
A: I restarted the dashboard service itself.
U: ok it loads now. why did that happen?
A: It had run out of memory.
U: got it, thanks""",
        [("I keep getting a 502 when I open the dashboard", "success"), ("Why did that happen?", "success")],
    ),
    "to cancel something is not to give it up": (
        """U: Cancel my subscription
A: May I ask why?
U: It's too expensive
A: I can offer you half the price. Would you like that?
U: No, just cancel it
C: end {"subscription": 1}
R: end {"ok": true}
A: It is cancelled.
U: thanks""",
        [("Cancel my subscription", "success")],
    ),
    "one thing is given up for another": (
        """U: Can you find flights from Berlin to Tokyo in May?
C: flights {"from": "BER"}
R: flights []
A: I found no flights. Shall I look at June?
U: No, forget the flights. What about trains to Paris?
A: There is one at 6:00.""",
        [
            ("Can you find flights from Berlin to Tokyo in May?", "failed"),
            ("What about trains to Paris?", "running"),
        ],
    ),
    "a failed push after tests that passed": (
        """U: run the tests
C: bash {"cmd": "pytest"}
R: bash 3 failed, 20 passed
C: bash {"cmd": "pytest"}
R: bash 23 passed
A: All tests pass now.
U: commit and push
C: bash {"cmd": "git push"}
R: bash remote: Permission denied
A: The push failed because of missing permissions.
U: ok I'll do that later, leave it""",
        [("Run the tests", "success"), ("Commit and push", "failed")],
    ),
    "结果不对": (
        """U: 把这段代码的时间复杂度优化一下
A: 我用哈希表把复杂度降到了O(n)。
U: 运行结果不对，少了重复元素
A: 已修复，保留重复元素。
U: 没问题了，顺便加上注释
A: 注释已加上。""",
        [("把这段代码的时间复杂度优化一下", "success"), ("加上注释", "running")],
    ),
    "换张卡再试": (
        """U: 我想订周五的机票去成都
A: 上午还是下午？
U: 下午
A: CA4101 14:30起飞，要订吗？
U: 订吧
C: book {"flight": "CA4101"}
R: book {"code": 500, "message": "支付失败"}
A: 支付失败了，请检查支付方式。
U: 我换了张卡，再试一次
C: book {"flight": "CA4101"}
R: book {"ok": true}
A: 已出票。
U: 太好了谢谢""",
        [("我想订周五的机票去成都", "success")],
    ),
    "退货": (
        """U: 你好，我想退货
A: 您好，请问订单号是多少？
U: 订单号12345，衣服尺码不对
C: create_return {"order": "12345"}
R: create_return {"success": true}
A: 已为您创建退货单。
U: 明白了，谢谢""",
        [("我想退货", "success")],
    ),
}


@pytest.mark.parametrize(("play", "expected"), STORIES.values(), ids=STORIES)
def test_talks_as_they_come(play: str, expected: list[tuple[str, str]]) -> None:
    assert outcome(play) == expected
