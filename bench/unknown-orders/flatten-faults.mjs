// The answers that a flatten is measured and tested under: a 429, and a 500 both without and with an
// effect, on one answer in five about an order.
export const UNCLEAR_ORDERS = [
  'POST /fapi/v2/futures/order',
  'DELETE /fapi/v1/futures/orders/*',
  'DELETE /fapi/v1/futures/orders',
  'GET /fapi/v1/futures/orders/*',
  'GET /fapi/v1/futures/orders',
].flatMap((on) => [
  { on, fault: '429', probability: 0.1 },
  { on, fault: '500_before', probability: 0.05 },
  { on, fault: '500_after', probability: 0.05 },
]);
