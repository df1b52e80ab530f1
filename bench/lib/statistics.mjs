/** @param {readonly number[]} values */
export function median(values) {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/**
 * Runs of ours and of the peer, taken in turns, as one row. `ratio` is the median of the ratios of each turn: below 1 ours needs less.
 *
 * @param {{ name: string, size: number, unit: string, peerName: string, ours: readonly number[], peer: readonly number[] }} runs
 */
export function row({ name, size, unit, peerName, ours, peer }) {
  const ratios = ours.map((value, turn) => value / peer[turn]);
  const spread = (values) => ({ median: median(values), low: Math.min(...values), high: Math.max(...values) });
  return {
    name,
    size,
    unit,
    ours: spread(ours),
    peer: spread(peer),
    peerName,
    ratio: spread(ratios),
    runs: ours.length,
  };
}
