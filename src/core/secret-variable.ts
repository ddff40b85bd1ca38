/** The environment variable that holds the API secret. It is hidden from strategies. */
export const SECRET_VARIABLE = 'SLUICE_API_SECRET';
