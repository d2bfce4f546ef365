import { statements } from './statements.ts';

/** The API decides which vendors there are. */
export const telephonyVendors = statements(
  'alter table telephony_configs drop constraint telephony_configs_provider_check',
);
