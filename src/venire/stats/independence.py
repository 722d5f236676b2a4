"""What a panel's majority would be worth if its judges erred independently, and what it is worth.

`correct` is a matrix of 0 and 1, shape (n, judges). A majority is right where more than half of the judges
are; of an even number exactly half may be, which a coin would decide. As in `panel`, each statistic is a
closed form on sums of per-item features, for the bootstrap.
"""

import numpy as np

from venire.stats.estimate import FloatArray, IntArray, divide


def right_counts(shares: FloatArray) -> FloatArray:
    """The chance that k of independent judges are right, k = 0 .. J: shape (..., J) to (..., J + 1).

    `shares` are the judges' own chances to be right. Source: the Poisson binomial distribution, convolved.
    """
    chance: FloatArray = np.ones((*shares.shape[:-1], 1))
    none: FloatArray = np.zeros((*shares.shape[:-1], 1))
    for judge in range(shares.shape[-1]):
        right = shares[..., judge : judge + 1]
        chance = np.concatenate([chance, none], axis=-1) * (1 - right) + right * np.concatenate(
            [none, chance], axis=-1
        )
    return chance


def majority_chance(shares: FloatArray, *, coin: bool = False) -> FloatArray:
    """The chance that more than half of independent judges are right: (..., J) to (...).

    With `coin`, exactly half counts one half. Source: Condorcet's jury theorem, for unequal judges.
    """
    judges = shares.shape[-1]
    chance = right_counts(shares)
    more = chance[..., judges // 2 + 1 :].sum(axis=-1)
    return np.asarray(more + chance[..., judges // 2] / 2 if coin and judges % 2 == 0 else more)


def majority_right(correct: FloatArray, *, coin: bool = False) -> FloatArray:
    """Per item: 1 where more than half of the judges are right, with `coin` 1/2 where half are; (n,)."""
    twice = 2 * correct.sum(axis=1) - correct.shape[1]
    return np.where(twice > 0, 1.0, np.where((twice == 0) & coin, 0.5, 0.0))


def vote_features(correct: FloatArray) -> FloatArray:
    """Per item: 1, right by judge, majority right, majority right with a coin; shape (n, J + 3)."""
    return np.column_stack(
        [np.ones(len(correct)), correct, majority_right(correct), majority_right(correct, coin=True)]
    )


def majority_from_sums(sums: FloatArray, *, coin: bool = False) -> FloatArray:
    """The share of items with a right majority, of summed `vote_features`; NaN over no item."""
    return divide(sums[..., -1 if coin else -2], sums[..., 0])


def expected_from_sums(sums: FloatArray, *, coin: bool = False) -> FloatArray:
    """`majority_chance` at the judges' own shares, of summed `vote_features`; NaN over no item."""
    return majority_chance(divide(sums[..., 1:-2], sums[..., :1]), coin=coin)


def gap_from_sums(sums: FloatArray, *, coin: bool = False) -> FloatArray:
    """The majority less what it would be if errors were independent; below 0 the judges err together."""
    return np.asarray(majority_from_sums(sums, coin=coin) - expected_from_sums(sums, coin=coin))


def in_groups(features: FloatArray, group: IntArray) -> FloatArray:
    """Features side by side for each group 0 .. G - 1, 0 outside of it: (n, F) to (n, G * F)."""
    groups = int(group.max(initial=-1)) + 1
    return np.hstack([features * (group == each)[:, None] for each in range(groups)])


def expected_within_from_sums(sums: FloatArray, groups: int) -> FloatArray:
    """What a majority would be if errors were independent within each group, of summed `in_groups` features.

    Judges that find the same groups hard then still err together. NaN over no item.
    """
    blocks = np.stack(np.split(sums, groups, axis=-1), axis=-2)
    sizes = blocks[..., 0]
    expected = np.nan_to_num(expected_from_sums(blocks))
    return divide((sizes * expected).sum(axis=-1), sizes.sum(axis=-1))
