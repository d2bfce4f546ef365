import { Page } from '../../components/page.tsx';

export function Component() {
  return <Page title="Calls">Being built.</Page>;
}
