import type { ColumnType, Generated } from 'kysely';

export const PLANS = ['FREE', 'PAYGO', 'PRO', 'SCALE'] as const;
export type Plan = (typeof PLANS)[number];

export const FEATURES = ['sip', 'retentionPolicy', 'admissionPreference'] as const;
export type Feature = (typeof FEATURES)[number];

export interface AccountTable {
  account_id: string;
  name: string;
  plan: Plan;
  features: Feature[];
  free_seconds_used: Generated<number>;
  created_at: ColumnType<Date, Date, never>;
}
