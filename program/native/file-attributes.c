#include <errno.h>
#include <linux/limits.h>
#include <string.h>
#include <sys/types.h>
#include <sys/xattr.h>

#include "node-api.h"

/*
 * An addon with functions for extended attributes of files (xattr(7)), which Node has not. Paths and names are buffers
 * that end with NUL. A result is a buffer, or the number of an error.
 */
static napi_value number(napi_env env, int value) {
  napi_value result;
  return napi_create_int32(env, value, &result) == 0 ? result : NULL;
}

static napi_value bytes_or_error(napi_env env, const void *bytes, ssize_t length) {
  if (length < 0)
    return number(env, errno);
  napi_value result;
  int failure = napi_create_buffer_copy(env, (size_t)length, bytes, NULL, &result);
  return failure == 0 ? result : number(env, ENOMEM);
}

/* NULL if the value is not a buffer that ends with its only NUL. */
static const char *text_of(napi_env env, napi_value value) {
  void *bytes;
  size_t length;
  if (napi_get_buffer_info(env, value, &bytes, &length) != 0 || length == 0)
    return NULL;
  return memchr(bytes, '\0', length) == (char *)bytes + length - 1 ? bytes : NULL;
}

/* False unless the call has that number of arguments. */
static int take(napi_env env, napi_callback_info info, size_t count, napi_value *values) {
  size_t given = count;
  return napi_get_cb_info(env, info, &given, values, NULL, NULL) == 0 && given == count;
}

/* list(path): the names, each with NUL; links are not followed. */
static napi_value list(napi_env env, napi_callback_info info) {
  napi_value values[1];
  const char *path = take(env, info, 1, values) ? text_of(env, values[0]) : NULL;
  if (path == NULL)
    return number(env, EINVAL);
  char names[XATTR_LIST_MAX];
  return bytes_or_error(env, names, llistxattr(path, names, sizeof names));
}

/* get(path, name): the value. */
static napi_value get(napi_env env, napi_callback_info info) {
  napi_value values[2];
  int is_whole = take(env, info, 2, values);
  const char *path = is_whole ? text_of(env, values[0]) : NULL;
  const char *name = is_whole ? text_of(env, values[1]) : NULL;
  if (path == NULL || name == NULL)
    return number(env, EINVAL);
  char value[XATTR_SIZE_MAX];
  return bytes_or_error(env, value, lgetxattr(path, name, value, sizeof value));
}

/* set(descriptor, name, value): 0, or the number of an error. */
static napi_value set(napi_env env, napi_callback_info info) {
  napi_value values[3];
  int32_t descriptor;
  void *value;
  size_t length;
  int is_whole = take(env, info, 3, values);
  const char *name = is_whole ? text_of(env, values[1]) : NULL;
  if (name == NULL || napi_get_value_int32(env, values[0], &descriptor) != 0 ||
      napi_get_buffer_info(env, values[2], &value, &length) != 0)
    return number(env, EINVAL);
  return number(env, fsetxattr(descriptor, name, value, length, 0) == 0 ? 0 : errno);
}

static void add(napi_env env, napi_value exports, const char *name, napi_callback callback) {
  napi_value function;
  if (napi_create_function(env, name, UNTIL_NUL, callback, NULL, &function) == 0)
    napi_set_named_property(env, exports, name, function);
}

napi_value napi_register_module_v1(napi_env env, napi_value exports) {
  add(env, exports, "list", list);
  add(env, exports, "get", get);
  add(env, exports, "set", set);
  return exports;
}
