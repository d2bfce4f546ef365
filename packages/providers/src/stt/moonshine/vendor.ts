import type { LocalSttVendor } from '../stt-vendor.ts';
import { createMoonshine } from './adapter.ts';

export const moonshine: LocalSttVendor = {
  name: 'moonshine',
  endpoint: null,
  create: ({ timeoutMs, clock, log }) => createMoonshine({ timeoutMs, clock, log }),
};
