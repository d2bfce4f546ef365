import { goodbye, hello, howAreYou, no, thanks, yes } from './intents/courtesies.ts';
import type { Intent } from './intents/intent.ts';
import { date, numbers, repeat, repeatAfterMe, spell, time, notUnderstood } from './intents/requests.ts';
import {
  help,
  introducesThemselves,
  wantsPerson,
  whatAreYou,
  whatIsMyName,
  whoAreYou,
} from './intents/self.ts';

/** Tried in order; the first response is used. */
export const intents: readonly Intent[] = [
  notUnderstood,
  repeatAfterMe,
  repeat,
  whatAreYou,
  wantsPerson,
  whoAreYou,
  whatIsMyName,
  spell,
  time,
  date,
  help,
  goodbye,
  introducesThemselves,
  howAreYou,
  thanks,
  hello,
  yes,
  no,
  numbers,
];
