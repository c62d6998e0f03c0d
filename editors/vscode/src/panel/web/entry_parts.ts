// What the views of entries share.
import type { FromPanel } from '../messages.ts';
import type { RenderMarkdown } from './markdown.ts';

export interface EntryParts {
  readonly send: (message: FromPanel) => void;
  readonly markdown: RenderMarkdown;
}
