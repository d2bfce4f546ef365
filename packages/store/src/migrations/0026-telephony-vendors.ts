import { statements } from './statements.ts';

/** The API validates the vendor names. */
export const telephonyVendors = statements(
  'alter table telephony_configs drop constraint telephony_configs_provider_check',
);
