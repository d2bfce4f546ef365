import type { LocalLlmVendor } from '../llm-vendor.ts';
import { createSvcLocal } from './adapter.ts';

export const svcLocal: LocalLlmVendor = {
  name: 'svc-local',
  endpoint: null,
  create: ({ clock }) => createSvcLocal({ clock }),
};
