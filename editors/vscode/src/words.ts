// Words that others chose (the model, a repository's file names, another program) made fit to be shown. VS Code takes
// links that run commands out of notifications, and icons out of labels; and what cannot be seen deceives who decides.

/** First and last of what a screen does not show, or what reorders the text around it; line ends and tabs are not. */
const HIDDEN_RANGES: readonly (readonly [number, number])[] = [
  [0x0, 0x8], [0xb, 0xc], [0xe, 0x1f], [0x7f, 0x9f], [0xad, 0xad], [0x34f, 0x34f], [0x600, 0x605], [0x61c, 0x61c], [0x115f, 0x1160],
  [0x17b4, 0x17b5], [0x180b, 0x180f], [0x200b, 0x200f], [0x2028, 0x202e], [0x2060, 0x206f], [0x2800, 0x2800], [0x3164, 0x3164],
  [0xd800, 0xf8ff], [0xfe00, 0xfe0f], [0xfeff, 0xfeff], [0xffa0, 0xffa0], [0xfff0, 0xfffb], [0xe0000, 0x10ffff],
];

function isHidden(code: number): boolean {
  return HIDDEN_RANGES.some(([first, last]) => code >= first && code <= last);
}

/** Returns a text with what cannot be seen written out as ⟨U+202E⟩; what glues an emoji together stays. */
export function visible(text: string): string {
  if (!/[^\n\t\r -~]/.test(text)) return text;
  let before = 0;
  return Array.from(text, (sign) => {
    const code = sign.codePointAt(0) ?? 0;
    const isGlue = (code === 0x200d || code === 0xfe0f) && before >= 0x2300;
    before = code;
    return isHidden(code) && !isGlue ? `⟨U+${code.toString(16).toUpperCase().padStart(4, '0')}⟩` : sign;
  }).join('');
}

/** Returns a title on one line, with nothing hidden in it. */
export function titled(text: string): string {
  return visible(text).replace(/\r\n?|\n/g, '⏎').replace(/\t/g, '⇥');
}

/** Returns a text that VS Code shows as it is: no link, no icon, nothing hidden. */
export function plain(text: string): string {
  return visible(text).replace(/\]\(/g, '] (').replace(/\$\(/g, '$ (');
}
