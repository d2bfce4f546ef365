export interface WorkerPaths {
  readonly root: string;
  readonly folder: string;
  readonly binary: string;
  readonly libraries: string;
  readonly failure: string;
}
export function mediasoupVersion(): string;
export function workerPaths(env?: NodeJS.ProcessEnv, version?: string): WorkerPaths;
export function isComplete(paths: Pick<WorkerPaths, 'binary' | 'libraries'>): boolean;
