export { checkRelays } from './checks/check-relays.ts';
export { examine } from './examine.ts';
export { Findings, type Finding } from './findings.ts';
