import { jest } from '@jest/globals';

/** For tests that say no limit of their own: a busy machine is no fault of theirs. */
jest.setTimeout(60_000);
