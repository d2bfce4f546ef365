import { Center, Loader } from '@mantine/core';

export function RouteLoading() {
  return (
    <Center mih="50vh">
      <Loader size="sm" aria-label="Loading" />
    </Center>
  );
}
