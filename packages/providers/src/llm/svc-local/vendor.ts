import type { LocalLlmVendor } from '../llm-vendor.ts';
import { createSvcLocal } from './adapter.ts';

export const svcLocal: LocalLlmVendor = {
  name: 'svc-local',
  displayName: 'Embedded script',
  endpoint: null,
  isScript: true,
  create: ({ clock }) => createSvcLocal({ clock }),
};
