print("postilla")
