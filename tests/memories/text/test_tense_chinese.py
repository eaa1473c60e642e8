"""On which side of today a Chinese date lies that names no week or year. It is Friday, 20 November 2026."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from memories.text.time.chinese import date_chinese

FRIDAY = datetime(2026, 11, 20, 9, tzinfo=UTC)


@pytest.mark.parametrize(
    ("sentence", "dated"),
    [
        ("我本来打算国庆去体检的，后来没去成", "国庆（2026年10月）"),
        ("我原本想五一去云南，结果没买到票", "五一（2026年5月）"),
        ("本来计划端午去划船，最后泡汤了", "端午（2026年6月）"),
        ("我打算国庆去体检", "国庆（2027年10月）"),
        ("我原来打算中秋回老家的", "中秋（2027年9月）"),
        ("周三的会我参加不了了", "周三（2026年11月25日）"),
        ("周六的课取消了", "周六（2026年11月21日）"),
        ("我周三把票退了", "周三（2026年11月18日）"),
        ("原定10月15日的手术推迟了", "10月15日（2026年10月15日）"),
        ("我周二没来上课", "周二（2026年11月17日）"),
        ("她周日没见到医生", "周日（2026年11月15日）"),
        ("周四我没时间", "周四（2026年11月26日）"),
    ],
)
def test_what_did_not_come_about_is_past_and_what_is_called_off_was_to_come(
    sentence: str, dated: str
) -> None:
    assert dated in date_chinese(sentence, FRIDAY).text


@pytest.mark.parametrize(
    ("sentence", "dated"),
    [
        ("我打算考二级建造师，五月底考试", "五月底（2027年5月底）"),
        ("我在学车，五月考科目二", "五月（2027年5月）"),
        ("孩子要中考了，六月中旬考", "六月中旬（2027年6月中旬）"),
        ("我的签证到八月底", "八月底（2027年8月底）"),
        ("我师妹过年才回来", "过年（2027年2月）"),
        ("这事五月再说", "五月（2027年5月）"),
        ("我国庆才回来的", "国庆（2026年10月）"),
        ("我五月才知道", "五月（2026年5月）"),
        ("我想换工作，三月就不开心了", "三月（2026年3月）"),
        ("我打算辞职，六月的奖金没发", "六月（2026年6月）"),
    ],
)
def test_a_month_behind_a_plan_or_an_end_lies_ahead(sentence: str, dated: str) -> None:
    assert dated in date_chinese(sentence, FRIDAY).text


@pytest.mark.parametrize(
    ("sentence", "dated"),
    [
        ("我昨天点了一份外卖", "昨天（2026年11月19日）点了"),
        ("前天班里聚餐", "前天（2026年11月18日）班里"),
        ("今年分红不多", "今年（2026年）分红"),
        ("三天前种的豆子发芽了", "三天前（2026年11月17日）种的"),
    ],
)
def test_a_date_stands_before_what_is_a_measure_behind_numerals_only(sentence: str, dated: str) -> None:
    assert dated in date_chinese(sentence, FRIDAY).text


@pytest.mark.parametrize("sentence", ["我一般十一点睡", "这班车有六一次的吗", "她上大一号教室"])
def test_no_date_tears_a_numeral_from_its_measure(sentence: str) -> None:
    assert date_chinese(sentence, FRIDAY).text == sentence


@pytest.mark.parametrize(
    "sentence", ["我一到四月就打喷嚏", "一进十一月我就犯咽炎", "我每到三月就要补税", "过年才回去一次"]
)
def test_a_month_of_every_year_has_no_date(sentence: str) -> None:
    assert date_chinese(sentence, FRIDAY).text == sentence


@pytest.mark.parametrize(
    ("sentence", "dated"),
    [
        ("婚礼定在十月二号，在外滩的一家酒店", "十月二号（2027年10月2日）"),
        ("体检约在三月", "三月（2027年3月）"),
        ("手术安排在九月十五号", "九月十五号（2027年9月15日）"),
        ("年会改成五月了", "五月（2027年5月）"),
        ("我们订了十月去冰岛的机票", "十月（2027年10月）"),
        # What is over says so.
        ("我们约在十月见的面", "十月（2026年10月）"),
        ("婚礼当时定在十月办的", "十月（2026年10月）"),
        ("我们十月定了亲", "十月（2026年10月）"),
        ("九月报的名，还没消息", "九月（2026年9月）"),
        ("我三月换成了夜班", "三月（2026年3月）"),
        ("我三月把头发换成了短发", "三月（2026年3月）"),
    ],
)
def test_what_is_fixed_for_a_month_lies_ahead_whenever_it_is_said(sentence: str, dated: str) -> None:
    assert dated in date_chinese(sentence, FRIDAY).text


@pytest.mark.parametrize(
    "sentence",
    [
        "开学以后周三没空",
        "换了工作之后周五可以在家办公",
        "生完孩子以后周六都带娃",
        "以后周一我来接孩子",
        "暑假开始周二上夜校",
    ],
)
def test_a_weekday_from_some_time_on_is_of_no_one_week(sentence: str) -> None:
    assert "（2026年11月" not in date_chinese(sentence, FRIDAY).text


@pytest.mark.parametrize(
    ("sentence", "dated"),
    [
        ("出院以后周三复查", "周三（2026年11月25日）"),
        ("开学以后下周三家长会", "下周三（2026年11月25日）"),
        ("周三下班以后去看牙", "周三（2026年11月25日）"),
        ("周五开始放假", "周五（2026年11月20日）"),
    ],
)
def test_one_thing_on_a_weekday_has_its_date(sentence: str, dated: str) -> None:
    assert dated in date_chinese(sentence, FRIDAY).text


@pytest.mark.parametrize(
    ("sentence", "dated"),
    [
        # No word of these is 会, 要, 将 or 想 by itself.
        ("我6月看了演唱会", "6月（2026年6月）"),
        ("公司9月开了年会", "9月（2026年9月）"),
        ("周三开了家长会", "周三（2026年11月18日）"),
        ("3月学会了游泳", "3月（2026年3月）"),
        ("他5月离开了教会", "5月（2026年5月）"),
        ("4月有机会去了一趟敦煌", "4月（2026年4月）"),
        ("10月打了一个月麻将", "10月（2026年10月）"),
        ("8月想起来一件重要的事", "8月（2026年8月）"),
        ("9月重要的会议都开完了", "9月（2026年9月）"),
        ("7月要求退款，拖到现在", "7月（2026年7月）"),
        # It happened, because 了 says so.
        ("我们10月举行了婚礼", "10月（2026年10月）"),
        ("9月出发去了新疆", "9月（2026年9月）"),
        ("孩子9月开学了", "9月（2026年9月）"),
        ("签证8月到期了", "8月（2026年8月）"),
        ("6月准备了三个月考试", "6月（2026年6月）"),
        ("6月改到杭州上班了", "6月（2026年6月）"),
        ("10月提前到了北京", "10月（2026年10月）"),
        # It was planned, or nobody had thought of it.
        ("我2月打算辞职，没辞成", "2月（2026年2月）"),
        ("8月计划去西藏，后来没去", "8月（2026年8月）"),
        ("我7月没想到会生病", "7月（2026年7月）"),
    ],
)
def test_what_happened_lies_behind_though_a_word_holds_the_letter_of_a_plan(
    sentence: str, dated: str
) -> None:
    assert dated in date_chinese(sentence, FRIDAY).text


@pytest.mark.parametrize(
    ("sentence", "dated"),
    [
        ("我6月会去看演唱会", "6月（2027年6月）"),
        ("5月会有个展会", "5月（2027年5月）"),
        ("2月要开家长会", "2月（2027年2月）"),
        ("1月的音乐会我想去", "1月（2027年1月）"),
        ("1月他就要退休了", "1月（2027年1月）"),
        ("3月就能拿到驾照了", "3月（2027年3月）"),
        ("5月才能入职", "5月（2027年5月）"),
        ("年会改到1月开", "1月（2027年1月）"),
        ("签证8月到期", "8月（2027年8月）"),
        ("我们3月举行婚礼", "3月（2027年3月）"),
    ],
)
def test_what_is_to_be_lies_ahead(sentence: str, dated: str) -> None:
    assert dated in date_chinese(sentence, FRIDAY).text


@pytest.mark.parametrize(
    ("sentence", "dated"),
    [
        ("报名了5月的雅思", "5月（2027年5月）"),
        ("5月的雅思我报名了", "5月（2027年5月）"),
        ("女儿报上了3月的钢琴考级", "3月（2027年3月）"),
        ("申请到了9月的入学名额", "9月（2027年9月）"),
        ("上周报名了12月的马拉松", "12月（2026年12月）"),
        ("我9月报了个瑜伽班", "9月（2026年9月）"),
        ("8月订了一台新冰箱", "8月（2026年8月）"),
        ("约了周三的牙医", "周三（2026年11月25日）"),
    ],
)
def test_a_date_behind_a_booking_is_that_of_what_is_booked(sentence: str, dated: str) -> None:
    assert dated in date_chinese(sentence, FRIDAY).text


@pytest.mark.parametrize(
    ("sentence", "dated"),
    [
        ("我3月报了班", "3月（2026年3月）"),
        ("6月抢到了演唱会票", "6月（2026年6月）"),
        ("2月报名的日语N2，考完了", "2月（2026年2月）"),
        ("4月约了一次体检，结果正常", "4月（2026年4月）"),
        ("我3月买好了票去看的展", "3月（2026年3月）"),
        ("6月的演唱会很好看", "6月（2026年6月）"),
        ("7月看的，嗓子都喊哑了", "7月（2026年7月）"),
        ("3月主要在写论文", "3月（2026年3月）"),
        ("报名10月就截止了", "10月（2026年10月）"),
        # Of what is booked, or yet to be.
        ("1月约了体检", "1月（2027年1月）"),
        ("12月订了酒店", "12月（2026年12月）"),
        ("5月的音乐节会很精彩", "5月（2027年5月）"),
        ("报名3月开始", "3月（2027年3月）"),
        ("我买的15号的票", "15号（2026年12月15日）"),
        ("票订了15号上午的", "15号（2026年12月15日）"),
    ],
)
def test_a_month_before_a_booking_that_is_done_lies_behind(sentence: str, dated: str) -> None:
    assert dated in date_chinese(sentence, FRIDAY).text


@pytest.mark.parametrize(
    ("sentence", "dated"),
    [
        ("元旦前一天我飞三亚", "元旦前一天（2026年12月31日）"),
        ("国庆节前两天搬的家", "国庆节前两天（2026年9月29日）"),
        ("中秋那天我发烧了", "中秋那天（2026年9月25日）"),
        ("表姐腊月十八办婚礼", "腊月十八（2027年1月25日）"),
        ("我爸正月初六去世的", "正月初六（2026年2月22日）"),
        ("大年初二回娘家", "大年初二（2027年2月7日）"),
        ("我农历八月十六结的婚", "农历八月十六（2026年9月26日）"),
        ("五月初去北京", "五月初（2027年5月初）"),
        ("周五回老家", "周五（2026年11月20日）回老家"),
        ("周三分手了", "周三（2026年11月18日）分手"),
    ],
)
def test_days_near_holidays_and_of_the_moon_have_their_date(sentence: str, dated: str) -> None:
    assert dated in date_chinese(sentence, FRIDAY).text


@pytest.mark.parametrize(
    "sentence",
    ["农历八月初三是我生日", "每年正月初五拜财神", "腊月里杀猪", "我去了三回", "我选了3号", "我做了五年后端"],
)
def test_what_only_looks_like_a_day_has_no_date(sentence: str) -> None:
    assert date_chinese(sentence, FRIDAY).text == sentence
