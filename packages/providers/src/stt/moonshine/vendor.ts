import type { LocalSttVendor } from '../stt-vendor.ts';
import { createMoonshine, MOONSHINE } from './adapter.ts';

export const moonshine: LocalSttVendor = {
  name: MOONSHINE,
  endpoint: null,
  create: ({ timeoutMs, clock, log }) => createMoonshine({ timeoutMs, interim: true, clock, log }),
};
