import assert from 'node:assert/strict';
import { test } from 'node:test';
import { JSDOM } from 'jsdom';
import { createMarkdown, highlighted } from '../../src/panel/web/markdown.ts';

function rendered(text: string): HTMLElement {
  const { window } = new JSDOM('');
  const box = window.document.createElement('div');
  box.append(createMarkdown(window)(text));
  return box;
}

function html(text: string): string {
  return rendered(text).innerHTML;
}

test('Markdown becomes HTML with highlighted code', () => {
  const made = html('A **bold** word.\n\n```python\ndef f():\n    return 1\n```');
  assert.match(made, /<strong>bold<\/strong>/);
  assert.match(made, /<span class="hljs-keyword">def<\/span>/);
  assert.match(made, /<div class="code-block"><button[^>]*class="copy"/);
});

test('an image is named and never loaded', () => {
  const made = html('![a secret](https://evil.example/?q=1)');
  assert.doesNotMatch(made, /<img|evil/);
  assert.match(made, /a secret \(image not loaded\)/);
});

for (const attack of [
  '<script>alert(1)</script>',
  '<img src=x onerror=alert(1)>',
  '<iframe src="https://evil.example"></iframe>',
  '<svg onload=alert(1)></svg>',
  '<style>body{display:none}</style>',
  '[x](javascript:alert(1))',
  '[x](JaVaScRiPt:alert(1))',
  '[x](data:text/html,<script>alert(1)</script>)',
  '[x](command:workbench.action.quit)',
  '[x](file:///etc/passwd)',
  '[x](//evil.example)',
  '<vscode://evil>',
  '<a href="vscode://evil">x</a>',
  '```"><script>alert(1)</script>\ncode\n```',
]) {
  test(`nothing comes of ${attack.slice(0, 40).replace('\n', ' ')}`, () => {
    for (const element of rendered(attack).querySelectorAll('*')) {
      assert.ok(['P', 'A', 'DIV', 'PRE', 'CODE', 'BUTTON', 'SPAN'].includes(element.tagName), element.outerHTML);
      for (const { name, value } of element.attributes) {
        assert.ok(!name.startsWith('on') && name !== 'style', element.outerHTML);
        if (name === 'href') assert.match(value, /^https?:/);
      }
    }
  });
}

test('links to addresses and to files of the workspace stay', () => {
  assert.match(html('[x](https://example.org/a)'), /href="https:\/\/example.org\/a"/);
  assert.match(html('[x](src/app.py#L3)'), /href="src\/app.py#L3"/);
});

test('code of an unknown language is left as it is', () => {
  assert.equal(highlighted('x < y', 'no-such-language'), '');
  assert.match(html('```no-such-language\nx < y\n```'), /x &lt; y/);
});
