#include <malloc.h>

#include "node-api.h"

/* An addon with one function, which gives free memory of the C library back to the system (malloc_trim(3)). */
static napi_value trim(napi_env env, napi_callback_info info) {
  (void)env;
  (void)info;
#ifdef __GLIBC__
  malloc_trim(0);
#endif
  return NULL;
}

napi_value napi_register_module_v1(napi_env env, napi_value exports) {
  napi_value function;
  return napi_create_function(env, "trim", UNTIL_NUL, trim, NULL, &function) == 0 ? function : exports;
}
