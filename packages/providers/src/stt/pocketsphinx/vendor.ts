import type { LocalSttVendor } from '../stt-vendor.ts';
import { createPocketsphinx } from './adapter.ts';

export const pocketsphinx: LocalSttVendor = {
  name: 'pocketsphinx',
  endpoint: null,
  create: ({ timeoutMs, clock, log }) => createPocketsphinx({ timeoutMs, clock, log }),
};
