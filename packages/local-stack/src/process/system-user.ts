import { readFileSync } from 'node:fs';
import type { SystemUser } from './spawn-server.ts';

/** A user of /etc/passwd. */
export function findSystemUser(name: string): SystemUser | undefined {
  const entry = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'))
    .find(([entryName]) => entryName === name);
  if (!entry) return undefined;
  const [uid, gid] = [Number(entry[2]), Number(entry[3])];
  return Number.isInteger(uid) && Number.isInteger(gid) ? { uid, gid } : undefined;
}
