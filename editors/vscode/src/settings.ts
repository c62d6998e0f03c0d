// Settings, sorted by who may say what: the person's own go to the server when it starts; what a workspace says goes
// by configuration, where the server lets it only tighten. A clone's settings never come in by the first way.
import type { SettingsPart } from './protocol.gen.ts';

/** As `WorkspaceConfiguration.inspect` tells a setting. */
export interface Inspected {
  readonly globalValue?: unknown;
  readonly workspaceValue?: unknown;
  readonly workspaceFolderValue?: unknown;
}

export type Inspect = (key: string) => Inspected | undefined;

/** What is told to the server when it starts, from user-level values alone. */
export const USER_SETTINGS = [
  'model',
  'mode',
  'maxTurns',
  'maxOutputTokens',
  'limits',
  'contextMaxChars',
  'providers',
  'permissions',
  'durability',
  'sandboxNetwork',
] as const satisfies readonly (keyof SettingsPart)[];

/** What a workspace may tighten. */
export const WORKSPACE_SETTINGS = ['mode', 'maxTurns', 'limits'] as const satisfies readonly (keyof SettingsPart)[];

/** Returns the person's own settings; what is left at its default is left out. */
export function userSettings(inspect: Inspect): SettingsPart {
  const found = USER_SETTINGS.map((key) => [key, inspect(key)?.globalValue] as const);
  return Object.fromEntries(found.filter(([, value]) => value !== undefined && value !== '' && value !== null));
}

/** Returns what the workspace says, which may only tighten. */
export function workspaceSettings(inspect: Inspect): SettingsPart {
  const found = WORKSPACE_SETTINGS.map((key) => {
    const inspected = inspect(key);
    return [key, inspected?.workspaceFolderValue ?? inspected?.workspaceValue] as const;
  });
  return Object.fromEntries(found.filter(([, value]) => value !== undefined && value !== null));
}

/** Returns a user-level value of any setting, never a workspace's. */
export function userValue(inspect: Inspect, key: string): unknown {
  return inspect(key)?.globalValue;
}

/** What is sent as `initializationOptions`. */
export function initializationOptions(inspect: Inspect, trusted: boolean): SettingsPart {
  const settings = userSettings(inspect);
  return {
    ...settings,
    ...(trusted ? {} : { mode: 'plan' as const }),
    showAnswer: 'none',
    client: { events: true, approvals: true, saveDocuments: true, diagnostics: true },
  };
}
