/** Adapter's process → host. `id` is chosen by the asker and never used twice. */
export type HostRequest =
  | { type: 'run'; id: number; command: string; args: readonly string[]; input: string }
  /** The reader took this many bytes: as many more may be sent. */
  | { type: 'taken'; id: number; bytes: number }
  | { type: 'kill'; id: number };

/** How a hosted process ended; `stderr` is the end of what it wrote there. */
export type ProcessEnd =
  | { kind: 'exited'; code: number | null; signal: string | null; stderr: string }
  /** The command can't be run; `code` as the system names it, ENOENT for a command that isn't installed. */
  | { kind: 'not_started'; code: string }
  /** The host itself ended, and every process it ran with it. */
  | { kind: 'host_lost' };

/** Host → adapter's process. `end` is the last report about an id, after all of its output. */
export type HostReport =
  | { type: 'output'; id: number; bytes: Uint8Array }
  | { type: 'end'; id: number; end: ProcessEnd };

/** Output of one process that is on its way or waits to be read; above it the process is not read on. */
export const WINDOW_BYTES = 2 * 1024 * 1024;
