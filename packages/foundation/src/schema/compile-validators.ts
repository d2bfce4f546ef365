import { delay, type Clock } from '../clock.ts';
import { takeDeferredValidators } from './validator.ts';

/** Compiles all validators of the process, for processes that must not pause later because of a first use. */
export function compileValidators(clock: Clock): Promise<void> {
  return compileInHalfTheTime(
    clock,
    takeDeferredValidators().map((validator) => () => validator.compile()),
  );
}

/** Leaves half of the time to other work at the start of a process, such as connecting to the database. */
export async function compileInHalfTheTime(
  clock: Clock,
  compilations: readonly (() => void)[],
): Promise<void> {
  for (const compile of compilations) {
    const startedMs = clock.nowMs();
    compile();
    await delay(clock, clock.nowMs() - startedMs);
  }
}
