import { systemClock, type Clock } from '@calls/foundation/clock';

/** The steps in which a service waits for an answer of Redis, four at most. */
const REDIS_STEP_MS = 25;

/** For tests of other things: on a busy machine, Redis takes longer to answer than the 100 ms after which a process counts alone. */
export const patientClock: Clock = {
  ...systemClock,
  setTimer: (ms, fire) => systemClock.setTimer(ms === REDIS_STEP_MS ? 100 * ms : ms, fire),
};
