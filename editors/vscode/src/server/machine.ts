// This machine, as `locate.ts` wants it.
import * as fs from 'node:fs';
import * as path from 'node:path';
import type { Machine } from './locate.ts';

export const thisMachine: Machine = {
  platform: process.platform,
  path,
  isProgram(file) {
    try {
      fs.accessSync(file, fs.constants.X_OK);
      return fs.statSync(file).isFile();
    } catch {
      return false;
    }
  },
  realPath(file) {
    try {
      return fs.realpathSync.native(file);
    } catch {
      return path.resolve(file);
    }
  },
};
