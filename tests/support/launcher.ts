import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from '@jest/globals';
import { findFreePorts } from '@calls/local-stack/free-port';
import type { StackPorts } from '@calls/local-stack/stack-size';
import { eventually } from './eventually.ts';
import { findStackPorts, testEnvironment } from './start-stack.ts';

const REPOSITORY = join(import.meta.dirname, '../..');
export const READY_LIMIT_MS = 150_000;

/** Runs `npm start` or `npm run dev` without npm in its own process group, like a shell job. */
export class Launcher {
  output = '';
  readonly child: ChildProcess;
  readonly ended: Promise<number | null>;

  constructor(command: 'start' | 'dev', env: Record<string, string>) {
    this.child = spawn('node', ['scripts/run.mjs', command], {
      cwd: REPOSITORY,
      detached: true,
      env: { ...testEnvironment(), ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const collect = (chunk: Buffer): void => {
      this.output += chunk.toString();
    };
    this.child.stdout?.on('data', collect);
    this.child.stderr?.on('data', collect);
    this.ended = once(this.child, 'close').then(([code]) => code as number | null);
  }

  async ready(): Promise<void> {
    await eventually(() => expect(this.output).toContain('Ctrl-C stops everything'), READY_LIMIT_MS);
  }

  /** Signals the process group, as a terminal does for Ctrl-C. */
  pressCtrlC(): void {
    process.kill(-(this.child.pid ?? 0), 'SIGINT');
  }
}

export type LauncherPorts = StackPorts & { readonly admin: number };

export async function findLauncherPorts(): Promise<LauncherPorts> {
  return { ...(await findStackPorts()), admin: await findFreePorts(1) };
}

export function launcherEnvironment(dataDir: string, ports: LauncherPorts): Record<string, string> {
  return {
    DATA_DIR: dataDir,
    PORT: String(ports.api),
    MEDIA_PORT: String(ports.media),
    METRICS_PORT: String(ports.metrics),
    ADMIN_PORT: String(ports.admin),
    RTC_PORT: String(ports.rtc),
    SIP_PORT: String(ports.sip),
  };
}

/** The pid of each process of the stack by name, from its run files. */
export async function partPids(dataDir: string): Promise<Map<string, number>> {
  const files = (await readdir(join(dataDir, 'run'))).filter((file) => file.endsWith('.json'));
  const records = await Promise.all(files.map((file) => readFile(join(dataDir, 'run', file), 'utf8')));
  return new Map(
    records.map((record) => {
      const { name, pid } = JSON.parse(record) as { name: string; pid: number };
      return [name, pid];
    }),
  );
}
