// A tool call in few words, and its diff, from its arguments alone: for calls that were never asked about.

/** Returns the arguments as an object, or {} for what is no JSON object. */
export function readArguments(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

/** The tools' names as a sentence has them; the server titles what it shows in the same way. */
const VERBS: Readonly<Record<string, string>> = {
  read_file: 'read',
  list_dir: 'list',
  find_files: 'find',
  edit_file: 'edit',
  write_file: 'write',
  apply_patch: 'apply a patch',
  move_file: 'move',
  delete_file: 'delete',
  run_command: 'run',
};

const SUBJECTS = ['path', 'command', 'pattern', 'new_path'] as const;

/** Returns a title for a call: its tool and what it is about. */
export function titleOf(tool: string, argumentsText: string): string {
  const given = readArguments(argumentsText);
  const verb = VERBS[tool] ?? tool.replaceAll('_', ' ');
  for (const name of SUBJECTS) {
    const subject = given[name];
    if (typeof subject === 'string' && subject !== '') return `${verb} ${oneLine(subject, 80)}`;
  }
  return verb;
}

/** Returns what an editing call would change, in the manner of a diff, or "". */
export function diffOf(tool: string, argumentsText: string): string {
  const given = readArguments(argumentsText);
  const text = (name: string): string => (typeof given[name] === 'string' ? given[name] : '');
  switch (tool) {
    case 'edit_file':
      return marked('-', text('old_text')) + marked('+', text('new_text'));
    case 'write_file':
      return marked('+', text('content'));
    case 'apply_patch':
      return text('patch');
    default:
      return '';
  }
}

/** Returns the text on one line, clipped. */
export function oneLine(text: string, maxChars: number): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length <= maxChars ? line : `${line.slice(0, maxChars - 1)}…`;
}

function marked(mark: string, text: string): string {
  if (text === '') return '';
  const lines = text.replace(/\n$/, '').split('\n');
  return lines.map((line) => `${mark}${line}\n`).join('');
}
