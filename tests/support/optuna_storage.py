"""Our studies as Optuna opens them."""
import optuna

IS_LATER = tuple(map(int, optuna.__version__.split(".")[:2])) > (3, 1)


def for_optuna(url):
    """The URL, once Optuna can open it: our tables are those of Optuna 3.1, which later versions want
    upgraded first, as their message says (`optuna storage upgrade`)."""
    if IS_LATER:
        optuna.storages.RDBStorage(url, skip_compatibility_check=True).upgrade()
    return url
