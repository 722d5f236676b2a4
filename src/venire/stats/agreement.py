"""Agreement of labels: Cohen's kappa, also weighted, Fleiss' kappa, Krippendorff's alpha.

Labels are codes: 0 .. n_labels - 1 for the declared labels, anything negative for none. Every
coefficient comes twice: on one data set through the reference package, and as a closed form on
sums of per-item features, which a bootstrap evaluates for all draws at once. The tests hold the
two equal. Of many items the closed form gives the coefficients of a panel itself: the packages would
take some 300 bytes an item.
"""

from collections.abc import Sequence
from typing import Literal

import numpy as np

from venire.errors import DataError
from venire.stats.estimate import Estimate, FloatArray, IntArray, divide, undefined
from venire.stats.features import Cells

Level = Literal["nominal", "ordinal"]
MANY = 65_536  # items; of more the closed form gives a panel's coefficients


def codes(values: Sequence[str], labels: Sequence[str]) -> IntArray:
    """The position of each value among the declared labels, shape (n,).

    Raises:
        DataError: some value is not declared.
    """
    position = {label: code for code, label in enumerate(labels)}
    strangers = sorted({value for value in values if value not in position})
    if strangers:
        raise DataError(
            f"labels: expected {', '.join(map(repr, labels))} as declared, "
            f"got {', '.join(map(repr, strangers))}"
        )
    return np.array([position[value] for value in values], dtype=np.int64)


def confusion(first: IntArray, second: IntArray, n_labels: int, weights: IntArray | None = None) -> IntArray:
    """Counts of (first, second) over the items that both label, shape (n_labels, n_labels).

    `weights`: how often each item counts, shape (n,); None: once.

    Raises:
        DataError: a code lies above the declared labels, or the lengths differ.
    """
    _check_codes(first, second, n_labels)
    both = (first >= 0) & (second >= 0)
    cells = first[both] * n_labels + second[both]
    counted = None if weights is None else weights[both]
    table = np.bincount(cells, counted, minlength=n_labels**2).astype(np.int64)
    return table.reshape(n_labels, n_labels)


def cohen_kappa(first: Sequence[str], second: Sequence[str], labels: Sequence[str]) -> Estimate:
    """Cohen's kappa of two labellings on the declared label set; see `kappa_of_table`.

    Raises:
        DataError: a label outside the declared set, or lengths that differ.
    """
    return kappa_of_table(confusion(codes(first, labels), codes(second, labels), len(labels)))


def kappa_of_table(table: IntArray) -> Estimate:
    """Cohen's kappa (p_o - p_e) / (1 - p_e) of a square table of counts, without an interval.

    Undefined where nothing is labelled, or both sides use one and the same label only. Labels that
    nobody used change nothing. Source: Cohen (1960); statsmodels.
    """
    n = int(table.sum())
    if n == 0:
        return undefined("no item is labelled by both sides")
    if n in np.diagonal(table):
        return undefined("both sides use one label only, so chance agreement is 1", n)
    from statsmodels.stats.inter_rater import cohens_kappa

    return Estimate(float(cohens_kappa(table, return_results=False)), n=n)


def weighted_kappa(table: IntArray, weights: Literal["linear", "quadratic"]) -> Estimate:
    """Cohen's kappa of a square table with `linear` or `quadratic` weights on the distance of codes.

    Undefined as `kappa_of_table`. Source: Cohen (1968); statsmodels.
    """
    plain = kappa_of_table(table)
    if not plain.is_defined:
        return plain
    from statsmodels.stats.inter_rater import cohens_kappa

    return Estimate(float(cohens_kappa(table, wt=weights, return_results=False)), n=plain.n)


def cell_codes(first: IntArray, second: IntArray, n_labels: int) -> IntArray:
    """The cell of each item in the flattened confusion table, -1 for no label on a side, shape (n,).

    Raises:
        DataError: as `confusion`.
    """
    _check_codes(first, second, n_labels)
    return np.where((first >= 0) & (second >= 0), first * n_labels + second, -1)


def cell_features(first: IntArray, second: IntArray, n_labels: int) -> FloatArray:
    """One-hot cell of each item's confusion table, shape (n, n_labels ** 2); a zero row for no label.

    Raises:
        DataError: as `confusion`.
    """
    return Cells(cell_codes(first, second, n_labels)[:, None], n_labels**2).dense


def kappa_from_sums(cells: FloatArray) -> FloatArray:
    """Cohen's kappa of flattened square tables, shape (..., K * K) to (...); NaN where undefined.

    In counts, exact below 2**53: (n * agreed - sum r_k c_k) / (n**2 - sum r_k c_k).
    """
    k = round(cells.shape[-1] ** 0.5)
    first, second = np.divmod(np.arange(k * k), k)
    labels = np.arange(k)
    # One product for all sums: n, the diagonal, the rows, the columns; sums over short axes take far longer.
    sums = cells @ np.column_stack(
        [np.ones(k * k), first == second, np.equal.outer(first, labels), np.equal.outer(second, labels)]
    )
    n, agreed = sums[..., 0], sums[..., 1]
    chance = np.einsum("...k,...k->...", sums[..., 2 : 2 + k], sums[..., 2 + k :])
    return divide(n * agreed - chance, n * n - chance)


def counts_by_label(ratings: IntArray, n_labels: int) -> IntArray:
    """How many judges gave each label to each item: (n, judges) to (n, n_labels)."""
    return np.stack([(ratings == code).sum(axis=1) for code in range(n_labels)], axis=1)


def fleiss_kappa(ratings: IntArray, n_labels: int) -> Estimate:
    """Fleiss' kappa over the items that every judge labelled; `ratings` has shape (n, judges).

    Undefined for fewer than two judges, no complete item, or one label throughout.
    Source: Fleiss (1971); statsmodels.
    """
    complete = ratings[(ratings >= 0).all(axis=1)]
    n, judges = complete.shape
    counts = counts_by_label(complete, n_labels)
    if judges < 2 or n == 0:
        return undefined("needs an item that at least two judges, and all of them, labelled", n)
    if n * judges in counts.sum(axis=0):
        return undefined("every judge gave one and the same label throughout", n)
    from statsmodels.stats import inter_rater

    return Estimate(float(inter_rater.fleiss_kappa(counts)), n=n)


def fleiss_kappa_of_many(ratings: IntArray, n_labels: int, weights: IntArray) -> Estimate:
    """`fleiss_kappa` of rows of `ratings` that stand for so many items each, by its closed form."""
    features = fleiss_features(ratings, n_labels)
    sums = (features * weights[:, None]).sum(axis=0)  # whole numbers: exact, whatever the order
    n, judges = int(sums[0]), ratings.shape[1]
    if judges < 2 or n == 0:
        return undefined("needs an item that at least two judges, and all of them, labelled", n)
    if n * judges in sums[2:]:
        return undefined("every judge gave one and the same label throughout", n)
    return Estimate(float(fleiss_from_sums(sums, judges)), n=n)


def fleiss_features(ratings: IntArray, n_labels: int) -> FloatArray:
    """Per item: complete (0/1), agreeing ordered pairs, counts by label; shape (n, 2 + n_labels)."""
    complete = np.all(ratings >= 0, axis=1, keepdims=True)
    counts = counts_by_label(ratings, n_labels)
    pairs = (counts * (counts - 1)).sum(axis=1)
    features: FloatArray = np.column_stack([np.ones(len(ratings)), pairs, counts]) * complete
    return features


def fleiss_from_sums(sums: FloatArray, n_judges: int) -> FloatArray:
    """Fleiss' kappa of summed `fleiss_features`, shape (..., 2 + K) to (...); NaN where undefined."""
    n, pairs, counts = sums[..., 0], sums[..., 1], sums[..., 2:]
    labels = n * n_judges
    # Both agreements over the common denominator labels**2 * (judges - 1), in exact integers.
    chance = (counts * counts).sum(axis=-1) * (n_judges - 1)
    return divide(pairs * labels - chance, labels * labels * (n_judges - 1) - chance)


def krippendorff_alpha(ratings: IntArray, n_labels: int, level: Level = "nominal") -> Estimate:
    """Krippendorff's alpha; `ratings` has shape (n, judges), gaps negative.

    Items with fewer than two labels are left out. Undefined where none remains, or all labels are
    the same. `level`: `nominal`, or `ordinal` where the codes are an order.
    Source: Krippendorff (2011); package krippendorff.
    """
    counts = counts_by_label(ratings, n_labels)
    pairable = counts[counts.sum(axis=1) >= 2]
    if len(pairable) == 0:
        return undefined("needs an item that at least two judges labelled")
    if pairable.sum() in pairable.sum(axis=0):
        return undefined("all judges gave one and the same label throughout", len(pairable))
    import krippendorff

    value = krippendorff.alpha(value_counts=pairable, level_of_measurement=level)
    return Estimate(float(value), n=len(pairable))


def krippendorff_alpha_of_many(ratings: IntArray, n_labels: int, weights: IntArray) -> Estimate:
    """Nominal alpha of rows of `ratings` that stand for so many items each, by its closed form."""
    counts = counts_by_label(ratings, n_labels)
    size = counts.sum(axis=1)
    pairable = np.where(size >= 2, weights, 0)
    n, by_label = int(pairable.sum()), (counts * pairable[:, None]).sum(axis=0)
    if n == 0:
        return undefined("needs an item that at least two judges labelled")
    if by_label.sum() in by_label:
        return undefined("all judges gave one and the same label throughout", n)
    pairs = (counts * (counts - 1)).sum(axis=1) * pairable
    # whole numbers are summed by size before they are divided, so that no order of the rows matters
    agreeing = sum(int(pairs[size == each].sum()) / (each - 1) for each in range(2, ratings.shape[1] + 1))
    return Estimate(float(alpha_from_sums(np.array([agreeing, *by_label], dtype=np.float64))), n=n)


def alpha_features(ratings: IntArray, n_labels: int) -> FloatArray:
    """Per item: agreeing coincidences, then pairable labels by kind; shape (n, 1 + n_labels)."""
    counts = counts_by_label(ratings, n_labels)
    size = counts.sum(axis=1)
    agreeing = np.nan_to_num(divide((counts * (counts - 1)).sum(axis=1), size - 1))
    features: FloatArray = np.column_stack([agreeing, counts]) * np.greater_equal(size, 2)[:, None]
    return features


def alpha_from_sums(sums: FloatArray) -> FloatArray:
    """Nominal alpha of summed `alpha_features`, shape (..., 1 + K) to (...); NaN where undefined.

    1 - (N - 1) * (N - agreeing) / (N**2 - sum n_k**2), N pairable labels, n_k of them of kind k.
    """
    agreeing, counts = sums[..., 0], sums[..., 1:]
    total = counts.sum(axis=-1)
    expected = total * total - (counts * counts).sum(axis=-1)
    return 1.0 - divide((total - 1) * (total - agreeing), expected)


def _check_codes(first: IntArray, second: IntArray, n_labels: int) -> None:
    if len(first) != len(second):
        raise DataError(f"labels: expected as many on both sides, got {len(first)} and {len(second)}")
    top = max(first.max(initial=-1), second.max(initial=-1))
    if top >= n_labels:
        raise DataError(f"labels: expected codes below {n_labels}, the declared labels, got {top}")
