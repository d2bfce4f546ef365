export const PLANS = ['FREE', 'PAYGO', 'PRO', 'SCALE'] as const;
/** What an account pays for; its limits follow from it. */
export type Plan = (typeof PLANS)[number];
