/** The environment variable that holds the API secret. It is hidden from strategies. */
export const SECRET_VARIABLE = 'SLUICE_API_SECRET';
/** Environment variable that names the file of the API secret, for a service manager's credentials. */
export const SECRET_FILE_VARIABLE = 'SLUICE_API_SECRET_FILE';
