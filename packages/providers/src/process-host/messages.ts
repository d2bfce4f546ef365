/**
 * What a process has as standard output. `file`: a file without a name, for programs that seek in their output; it is
 * read after the process has ended.
 */
export type OutputKind = 'pipe' | 'file';

/** Adapter's process → host. The sender chooses unique ids. */
export type HostRequest =
  | {
      type: 'run';
      id: number;
      command: string;
      args: readonly string[];
      input: string;
      output: OutputKind;
    }
  /** The reader took this many bytes: as many more may be sent. */
  | { type: 'taken'; id: number; bytes: number }
  | { type: 'kill'; id: number };

/** How a hosted process ended. `stderr`: the end of its standard error output. */
export type ProcessEnd =
  | { kind: 'exited'; code: number | null; signal: string | null; stderr: string }
  /** The command can't be run; `code` as the system names it, ENOENT for a command that isn't installed. */
  | { kind: 'not_started'; code: string }
  /** The host itself ended, and every process it ran with it. */
  | { kind: 'host_lost' };

/** Host → adapter's process. `end` is the last report of an id, after all of its output. */
export type HostReport =
  | { type: 'output'; id: number; bytes: Uint8Array }
  | { type: 'end'; id: number; end: ProcessEnd };

/** Maximum unread output of one process. Above it, the host stops reading from the process. */
export const WINDOW_BYTES = 2 * 1024 * 1024;
