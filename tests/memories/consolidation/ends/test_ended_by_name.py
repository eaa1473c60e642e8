"""What people part with, leave or take up again by its name: the older statement that names it is over."""

from __future__ import annotations

import pytest

from memories.consolidation.ends.other_states import ends_memory
from memories.consolidation.ends.remaining import find_remaining_english


@pytest.mark.parametrize(
    ("new", "old"),
    [
        ("The user sold the ASW 20 last week.", "The user's ship is an ASW 20."),
        ("The user sold the Monster in March 2026.", "The user rides a Ducati Monster."),
        ("The user has sold Kestrel.", "The user keeps a narrowboat called Kestrel."),
        ("The user has cancelled Netflix.", "The user has Netflix and Disney."),
        ("The user has quit Night Owls after a row.", "The user plays bass in Night Owls."),
        ("The user has ditched Nomad for Kubernetes.", "Everything is deployed with Nomad."),
        ("The user replaced WordPress with Astro.", "The site runs on WordPress."),
        ("The user moved from Barclays to Monzo in May.", "The user banks with Barclays."),
        ("The user's son has stopped playing Minecraft.", "The user's son plays Minecraft every day."),
        ("The vet took Biscuit off the Metacam.", "The user's greyhound Biscuit is on Metacam, 2ml a day."),
        ('The user said on 14 April 2026: "They\'ve switched me from Lipitor to Crestor."', "The user is on Lipitor."),
        ("The user replaced Dropbox with Backblaze.", "Backups run to Dropbox nightly."),
        ("The user buys from Wildfarmed now instead of Shipton Mill.", "The user's flour comes from Shipton Mill."),
        ("The user's doctor switched the user from metformin to gliclazide.", "The user takes metformin at breakfast."),
        ("The user switched from gas to induction.", "The user cooks on gas."),
        ("Priya has retired so the user uses Dhruv now.", "The user's accountant is called Priya Nair."),
        ("Greg has left the practice.", "The user's physio is Greg."),
        (
            'The user said on 14 April 2026: "Dr Osei has moved to Wales so I see Dr Lund now."',
            "The user's GP is Dr Osei.",
        ),
        ("Liam has stepped down.", "The user's choir director is Liam."),
        ("The user started smoking again.", "The user has stopped smoking."),
        ("The user has started drinking again, just at weekends.", "The user does not drink any more."),
        ("The user has started running again, slowly.", "The user no longer runs."),
        (
            'The user said on 20 July 2026: "I got married on Saturday! It\'s Steph Okafor now."',
            "The user's name is Steph Barrow.",
        ),
        ("The user has withdrawn from the Great North Run.", "The user is doing the Great North Run."),
        (
            'The user said on 14 April 2026: "Had to pull out of Manchester, stress fracture."',
            "The user is training for the Manchester marathon on 19 April 2026.",
        ),
    ],
)  # fmt: skip
def test_what_is_gone_by_name_is_over(new: str, old: str) -> None:
    assert ends_memory(new, old, "en")


@pytest.mark.parametrize(
    ("new", "old"),
    [
        ("The user's brother sold their ASW 20 last week.", "The user's ship is an ASW 20."),
        ("The user sold a Wayfarer sail.", "The user's boat is a Wayfarer."),
        ("The user cancelled Netflix.", "The user loves Netflix."),
        ("The user cancelled Netflix.", "The user's sister has Netflix."),
        ("The user sold the Roland on Sunday.", "The user bought a Roland piano in 2019."),
        ("The user sold the Monster.", "The user's favourite bike is the Ducati Monster."),
        ("The user has dropped Lightroom for a week.", "The user uses Photoshop and Lightroom."),
        ("The user pulled out of Manchester on the M60 at six.", "The user lives in Manchester."),
        ("The user's neighbour pulled out of London.", "The user is training for the London Marathon."),
        ("Priya is on holiday so the user spoke to Dhruv.", "The user's accountant is called Priya Nair."),
        ("Priya Sharma has retired.", "The user's accountant is Priya Nair."),
        ("Frank has retired so he plays golf now.", "The user's dad is called Frank."),
        ("Dr Lund left the surgery open on Sunday.", "The user's dentist is Dr Lund."),
        ("Kofi moved the user's session to Friday.", "The user's trainer is Kofi."),
        ("The user's wife has started running again.", "The user no longer runs."),
        ("The user is thinking of smoking again.", "The user has stopped smoking."),
        ("The user has started eating breakfast again.", "The user has stopped eating sugar."),
        ("The user's daughter is Ruth Cohen now.", "The user's name is Ruth Adler."),
        ("The user replaced Dropbox with Backblaze.", "James works at Dropbox."),
        (
            "The user's doctor switched the user from metformin to gliclazide.",
            "The user's brother takes metformin.",
        ),
        ("The user switched from coffee to tea.", "The user's wife drinks coffee."),
    ],
)
def test_another_ones_and_what_only_sounds_like_it_stays(new: str, old: str) -> None:
    assert not ends_memory(new, old, "en")


@pytest.mark.parametrize(
    ("new", "old", "rest"),
    [
        (
            "The vet took Biscuit off the Metacam.",
            "The user's greyhound Biscuit is on Metacam for her arthritis, 2ml a day.",
            "The user's greyhound Biscuit has arthritis.",
        ),
        (
            "The user came off Symbicort.",
            "The user takes Symbicort for their asthma.",
            "The user has asthma.",
        ),
        (
            "The user's son has stopped playing Minecraft.",
            "The user's son Noah plays Minecraft every day.",
            "The user's son is called Noah.",
        ),
        ("The user has sold Kestrel.", "The user's narrowboat Kestrel is moored at Oxford.", ""),
        ("The user has cancelled Netflix.", "The user has Netflix and Disney.", ""),
    ],
)
def test_what_is_not_over_remains(new: str, old: str, rest: str) -> None:
    assert find_remaining_english(new, old) == rest


@pytest.mark.parametrize(
    ("new", "old", "rest"),
    [
        (
            "The user moved from Xero to FreeAgent in May.",
            "The user keeps the accounts in Xero.",
            "The user keeps the accounts in FreeAgent.",
        ),
        (
            "The user replaced Dropbox with Backblaze.",
            "Backups run to Dropbox nightly.",
            "Backups run to Backblaze nightly.",
        ),
        (
            "The user switched from ArgoCD to Flux.",
            "Deploys go out through ArgoCD.",
            "Deploys go out through Flux.",
        ),
        (
            "The user swapped Middlemarch for Emma.",
            "The user is reading Middlemarch with their book club.",
            "The user is reading Emma with their book club.",
        ),
        (
            "The user swapped the Brompton for a Tern.",
            "The user commutes with a Brompton.",
            "The user commutes with a Tern.",
        ),
        (
            "The user replaced Mia with Jonas.",
            "The user plays badminton with Mia on Mondays.",
            "The user plays badminton with Jonas on Mondays.",
        ),
        # Nobody said the dose of the new one, since when it is, or where somebody works who moved to another town.
        (
            "The user's doctor switched the user from metformin to gliclazide.",
            "The user takes metformin twice a day.",
            "",
        ),
        ("The user replaced the Miele with a Bosch.", "The user has a Miele from 2009.", ""),
        ("The user moved from Ghent to Bruges.", "The user works in Ghent.", ""),
        ("The user switched from Word to LaTeX.", "The user's first book was about Word Perfect.", ""),
    ],
)
def test_what_is_done_with_another_thing_now_is_still_done(new: str, old: str, rest: str) -> None:
    assert find_remaining_english(new, old) == rest


@pytest.mark.parametrize(
    ("new", "old", "rest"),
    [
        (
            "The user has been switched to first alto because Marit left.",
            "The user sings second alto in the Hallgrim choir on Tuesday evenings.",
            "The user sings first alto in the Hallgrim choir on Tuesday evenings.",
        ),
        (
            "The user was moved up to first violin last week.",
            "The user plays second violin in the town orchestra.",
            "The user plays first violin in the town orchestra.",
        ),
        (
            "The user got moved to the day crew.",
            "The user is on the night crew at the depot with Shaun.",
            "The user is on the day crew at the depot.",
        ),
        (
            "The user went to a private school.",
            "The user goes to a primary school in Orford.",
            "",
        ),
    ],
)
def test_what_is_done_in_another_place_of_one_kind_is_still_done(new: str, old: str, rest: str) -> None:
    assert find_remaining_english(new, old) == rest
