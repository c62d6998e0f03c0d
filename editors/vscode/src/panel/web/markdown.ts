// Markdown of a model as HTML that can do nothing: no raw HTML, no image from anywhere, no script, no style.
import createDOMPurify, { type WindowLike } from 'dompurify';
import highlight from 'highlight.js/lib/common';
import MarkdownIt from 'markdown-it';

export type RenderMarkdown = (text: string) => DocumentFragment;

/** What may be in an answer; everything else is dropped. */
const ALLOWED = {
  ALLOWED_TAGS: [
    'p', 'br', 'hr', 'em', 'strong', 's', 'code', 'pre', 'blockquote', 'a', 'ul', 'ol', 'li', 'span', 'div', 'button',
    'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'table', 'thead', 'tbody', 'tr', 'th', 'td',
  ],
  ALLOWED_ATTR: ['href', 'class', 'start', 'title', 'type', 'tabindex', 'data-copy'],
  ALLOW_DATA_ATTR: false,
  ALLOWED_URI_REGEXP: /^(?:https?:|[^a-z]|[a-z\d+.-]+(?:[^a-z\d+.\-:]|$))/i,
};

/** Returns a renderer for a window. */
export function createMarkdown(window: WindowLike): RenderMarkdown {
  const purify = createDOMPurify(window);
  const markdown = new MarkdownIt({ html: false, linkify: true, highlight: highlighted });
  markdown.validateLink = isHarmless;
  markdown.renderer.rules['image'] = (tokens, index) => {
    const token = tokens[index];
    const text = token?.content ?? '';
    return `<span class="image-left-out">${markdown.utils.escapeHtml(text === '' ? 'image' : text)} (image not loaded)</span>`;
  };
  const fence = markdown.renderer.rules['fence']?.bind(markdown.renderer.rules);
  markdown.renderer.rules['fence'] = (tokens, index, options, env, self) => {
    const html = fence?.(tokens, index, options, env, self) ?? '';
    return `<div class="code-block"><button type="button" class="copy" data-copy="1">Copy</button>${html}</div>`;
  };
  return (text) => purify.sanitize(markdown.render(text), { ...ALLOWED, RETURN_DOM_FRAGMENT: true });
}

/** Addresses and relative paths; no command, no file, no data, no program of another scheme. */
function isHarmless(href: string): boolean {
  const link = href.trim();
  return /^https?:\/\//i.test(link) || !/^[a-z][a-z\d+.-]*:|^\/\//i.test(link);
}

/** Returns code with its words marked for colours; of an unknown language as it is. */
export function highlighted(code: string, language: string): string {
  if (language === '' || highlight.getLanguage(language) === undefined) return '';
  return highlight.highlight(code, { language, ignoreIllegals: true }).value;
}
