// The server's commands: what goes in and what comes out of each, so that a call cannot be mistyped.
import type * as wire from '../protocol.gen.ts';

interface Call<Params, Result> {
  params: Params;
  result: Result;
}

export interface ServerCommands {
  'steersman.run': Call<wire.RunParams, wire.RunResult>;
  'steersman.start': Call<wire.RunParams, { readonly sessionId: string; readonly runId: string }>;
  'steersman.cancel': Call<wire.CancelParams, { readonly cancelled: readonly string[] }>;
  'steersman.steer': Call<wire.SteerParams, { readonly queued: boolean }>;
  'steersman.setMode': Call<wire.SetModeParams, { readonly changed: readonly string[] }>;
  'steersman.sessions.list': Call<wire.ListSessionsParams, { readonly sessions: readonly wire.Session[]; readonly total: number }>;
  'steersman.sessions.get': Call<wire.GetSessionParams, { readonly session: wire.Session; readonly messages: readonly wire.Message[] }>;
  'steersman.sessions.rename': Call<wire.RenameSessionParams, { readonly session: wire.Session }>;
  'steersman.sessions.delete': Call<wire.SessionParams, { readonly deleted: boolean }>;
  'steersman.sessions.fork': Call<wire.ForkSessionParams, { readonly session: wire.Session }>;
  'steersman.sessions.export': Call<wire.ExportSessionParams, { readonly content?: string; readonly uri?: string }>;
  'steersman.rewind': Call<wire.RewindParams, wire.RewindResult>;
  'steersman.rewind.undo': Call<wire.UndoRewindParams, wire.RewindResult>;
  'steersman.status': Call<wire.Nothing, wire.Status>;
  'steersman.models': Call<wire.Nothing, { readonly models: readonly wire.Model[] }>;
  'steersman.permissions.reset': Call<wire.FolderParams, { readonly removed: number }>;
}

export type CommandName = keyof ServerCommands;

/** Sends one of the server's commands; rejects with a `ServerFailure`. */
export type Execute = <C extends CommandName>(command: C, params: ServerCommands[C]['params']) => Promise<ServerCommands[C]['result']>;
