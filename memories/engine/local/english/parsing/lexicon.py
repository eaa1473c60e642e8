"""Closed classes of English words that the reader needs: kinship, fillers, verbs that end a state."""

from __future__ import annotations

WOMEN = frozenset(
    """
        wife girlfriend fiancée daughter mother mom mum mummy sister aunt auntie niece grandmother
        grandma gran granny nan stepmother stepdaughter stepsister goddaughter godmother
        granddaughter widow ex-wife mother-in-law sister-in-law daughter-in-law woman girl lady mam nana lass stepmum
    """.split()
)
MEN = frozenset(
    """
        husband boyfriend fiancé son father dad daddy brother uncle nephew grandfather grandpa
        grandad granddad stepfather stepson stepbrother godson godfather grandson widower ex-husband
        father-in-law brother-in-law son-in-law man boy guy lad bloke fella chap hubby stepdad
    """.split()
)
ANYONE = frozenset(
    """partner spouse fiance fiancee cousin friend boss manager colleague coworker co-worker roommate flatmate housemate
    neighbour neighbor teacher doctor therapist coach baby toddler child kid landlord landlady client mentor professor
    supervisor dentist vet nanny tutor lawyer accountant ex twin sibling parent grandparent eldest oldest youngest
    physio midwife nurse surgeon gp tenant lodger mate girlfriend teammate bandmate stepchild grandchild""".split()
)
MANY = frozenset(
    """parents kids children twins sons daughters friends colleagues neighbours neighbors grandparents siblings brothers
    sisters in-laws cousins students roommates flatmates housemates tenants boys girls grandchildren nephews nieces
    clients teammates folks triplets babies aunts uncles""".split()
)
PETS = frozenset(
    """dog dogs cat cats puppy puppies kitten kittens hamster hamsters rabbit rabbits parrot parrots bird birds tortoise
    tortoises horse horses pony ponies guinea-pig ferret ferrets hen hens goat goats""".split()
)
KINSHIP = WOMEN | MEN | ANYONE | MANY | PETS
