// How long ago something was, in few words.

const STEPS = [
  [60, 'min'],
  [24, 'h'],
  [7, 'd'],
  [52, 'w'],
] as const;

/** Returns “now”, “5 min ago”, “3 h ago”, “2 d ago”, “4 w ago”; times in milliseconds. */
export function timeAgo(then: number, now: number): string {
  let amount = Math.floor((now - then) / 60_000);
  if (!(amount >= 1)) return 'now';
  for (const [next, unit] of STEPS) {
    if (amount < next || unit === 'w') return `${amount} ${unit} ago`;
    amount = Math.floor(amount / next);
  }
  return 'long ago';
}
