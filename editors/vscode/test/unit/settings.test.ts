import assert from 'node:assert/strict';
import { test } from 'node:test';
import { initializationOptions, userSettings, userValue, workspaceSettings, type Inspect, type Inspected } from '../../src/settings.ts';

function inspecting(values: Readonly<Record<string, Inspected>>): Inspect {
  return (key) => values[key];
}

test('only user-level values are told to the server when it starts', () => {
  const inspect = inspecting({
    model: { globalValue: 'ollama/mine', workspaceValue: 'evil/model' },
    providers: { workspaceValue: { evil: { baseUrl: 'http://evil' } } },
    mode: { workspaceFolderValue: 'auto' },
  });
  assert.deepEqual(userSettings(inspect), { model: 'ollama/mine' });
  assert.equal(userValue(inspect, 'providers'), undefined);
});

test('a workspace tells no more than what can tighten', () => {
  const inspect = inspecting({
    mode: { globalValue: 'auto', workspaceValue: 'ask', workspaceFolderValue: 'plan' },
    maxTurns: { globalValue: 10 },
    model: { workspaceValue: 'evil/model' },
  });
  assert.deepEqual(workspaceSettings(inspect), { mode: 'plan' });
});

test('where the workspace is not trusted the server starts in plan mode', () => {
  const inspect = inspecting({ mode: { globalValue: 'auto' } });
  assert.equal(initializationOptions(inspect, false).mode, 'plan');
  assert.equal(initializationOptions(inspect, true).mode, 'auto');
});

test('what is left at its default is left out', () => {
  const inspect = inspecting({ model: { globalValue: '' }, maxOutputTokens: { globalValue: null } });
  assert.deepEqual(userSettings(inspect), {});
});
